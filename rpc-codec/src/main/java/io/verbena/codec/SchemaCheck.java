package io.verbena.codec;

import io.verbena.api.stub.Schema;
import io.verbena.api.stub.Schema.Member;
import io.verbena.api.stub.Schema.Method;
import io.verbena.codec.SchemaDiff.TypePair;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares two versions of a contract by what they put on the wire: ids, order and types. Different
 * names alone are no mismatch, unless they show that two members, constants, subtypes or methods
 * changed places.
 *
 * <p>Some differences fit: additional methods, subtypes and trailing enum constants at one end;
 * trailing parameters and members that have a default; trailing declared exceptions, which the
 * other end sees as INTERNAL. Any other difference is a misfit of all methods that reach it.
 */
public final class SchemaCheck {
  /** More methods, or types, than a contract has. A peer could send as many as fit in a message. */
  private static final int MOST = 4096;

  private static final int MOST_PAIRS = 2 * MOST;

  /** More overloaded methods of one name than a contract has. */
  private static final int MOST_OF_A_NAME = 256;

  private static final String TOO_LARGE = "the peer's contract is too large to be compared";

  /** Enough to see the differences, in a line of the log or in a message. */
  private static final int MOST_TOLD = 32;

  private final Schema here;
  private final Schema there;
  private final Map<Integer, Method> methodsHere;
  private final Map<Integer, Method> methodsThere;
  private final Map<String, List<Method>> namesHere;
  private final Map<String, List<Method>> namesThere;
  private final Map<String, Schema.Type> typesHere;
  private final Map<String, Schema.Type> typesThere;
  private final Map<TypePair, SchemaDiff> compared = new HashMap<>();

  /** The misfits and the harmless differences of a method and of the types that it reaches. */
  private record Found(Set<String> misfits, Set<String> notes) {
    static Found wrong(String misfit) {
      return new Found(Set.of(misfit), Set.of());
    }
  }

  private SchemaCheck(Schema here, Schema there) {
    this.here = here;
    this.there = there;
    this.methodsHere = by(here.methods(), Method::id);
    this.methodsThere = by(there.methods(), Method::id);
    this.namesHere = here.methods().stream().collect(Collectors.groupingBy(Method::name));
    this.namesThere = there.methods().stream().collect(Collectors.groupingBy(Method::name));
    this.typesHere = by(here.types(), Schema.Type::name);
    this.typesThere = by(there.types(), Schema.Type::name);
  }

  private static <K, V> Map<K, V> by(List<V> values, Function<V, K> key) {
    return values.stream().collect(Collectors.toMap(key, v -> v, (a, b) -> b, LinkedHashMap::new));
  }

  /**
   * Compares two versions of one service's contract.
   *
   * @param here the version of this end
   * @param there the version of the peer
   */
  public static Compatibility compare(Schema here, Schema there) {
    return new SchemaCheck(here, there).compare();
  }

  private Compatibility compare() {
    Map<Integer, List<String>> misfits = new TreeMap<>();
    Map<Integer, String> missing = new TreeMap<>();
    Set<String> notes = new LinkedHashSet<>();
    boolean tooLarge = isTooLarge();
    for (Method mine : here.methods()) {
      Found found = tooLarge ? Found.wrong(TOO_LARGE) : compare(mine);
      if (!found.misfits().isEmpty()) {
        misfits.put(mine.id(), found.misfits().stream().limit(MOST_TOLD).toList());
      } else if (!methodsThere.containsKey(mine.id())) {
        missing.put(mine.id(), mine.name());
      }
      notes.addAll(found.notes());
    }
    return new Compatibility(misfits, missing, notes.stream().limit(MOST_TOLD).toList());
  }

  /**
   * Returns whether the peer's contract is larger than any real one, and would take long to
   * compare.
   */
  private boolean isTooLarge() {
    return there.methods().size() > MOST
        || there.types().size() > MOST
        || there.types().stream().anyMatch(type -> type.members().size() > MOST)
        || namesThere.values().stream().anyMatch(same -> same.size() > MOST_OF_A_NAME);
  }

  /** Compares a method of this end and every type that it reaches. */
  private Found compare(Method mine) {
    Method theirs = methodsThere.get(mine.id());
    Method moved = sameNameElsewhere(mine, true);
    if (moved != null) {
      return Found.wrong(otherId(mine, mine.id(), moved.id()));
    }
    if (theirs == null) {
      return new Found(Set.of(), Set.of());
    }
    Method original = sameNameElsewhere(theirs, false);
    if (original != null) {
      return Found.wrong(otherId(original, original.id(), theirs.id()));
    }
    Found found = reached(method(mine, theirs));
    if (!mine.name().equals(theirs.name())) {
      found
          .notes()
          .add(
              "method %s (id %d) is %s there"
                  .formatted(mine.name(), mine.id(), SchemaDiff.brief(theirs.name())));
    }
    return found;
  }

  private static String otherId(Method method, int here, int there) {
    return "id of method %s is '%d' here and '%d' there".formatted(method.name(), here, there);
  }

  /**
   * Returns the other end's method that has the same name and shape, but another id. A call by id
   * would reach the wrong method. A method of another shape is a new method with an old name.
   */
  private @Nullable Method sameNameElsewhere(Method method, boolean isMine) {
    List<Method> sameName =
        (isMine ? namesThere : namesHere).getOrDefault(method.name(), List.of());
    if (sameName.stream().anyMatch(other -> other.id() == method.id())) {
      return null; // overloaded methods share a name; a method that still has its id has not moved
    }
    Map<Integer, Method> besideIt = isMine ? methodsHere : methodsThere;
    for (Method candidate : sameName) {
      Method own = besideIt.get(candidate.id());
      if (own == null || !own.name().equals(candidate.name())) {
        SchemaDiff found = isMine ? method(method, candidate) : method(candidate, method);
        if (reached(found).misfits().isEmpty()) {
          return candidate;
        }
      }
    }
    return null;
  }

  /** Collects the findings for a method and for every type that it reaches. */
  private Found reached(SchemaDiff method) {
    Found all = new Found(new LinkedHashSet<>(method.misfits), new LinkedHashSet<>(method.notes));
    Set<TypePair> seen = new HashSet<>(method.pairs);
    ArrayDeque<TypePair> next = new ArrayDeque<>(method.pairs);
    TypePair pair;
    while ((pair = next.poll()) != null) {
      if (compared.size() > MOST_PAIRS) {
        return Found.wrong(TOO_LARGE);
      }
      SchemaDiff found = compared.get(pair);
      if (found == null) {
        found = type(pair);
        compared.put(pair, found);
      }
      all.misfits().addAll(found.misfits);
      all.notes().addAll(found.notes);
      for (TypePair further : found.pairs) {
        if (seen.add(further)) {
          next.add(further);
        }
      }
    }
    return all;
  }

  private SchemaDiff comparison(String what) {
    return new SchemaDiff(what, typesHere.keySet(), typesThere.keySet());
  }

  private SchemaDiff method(Method mine, Method theirs) {
    SchemaDiff found = comparison("method " + mine.name() + " (id " + mine.id() + ")");
    if (mine.oneway() != theirs.oneway()) {
      found.differ("", direction(mine), direction(theirs));
    }
    found.results(mine.result(), theirs.result());
    found.inOrder(" throws: exception", 1, exceptions(mine), exceptions(theirs));
    found.inOrder(", parameter", 1, mine.parameters(), theirs.parameters());
    found.beyond("parameter", mine.parameters(), theirs.parameters());
    return found;
  }

  private static String direction(Method method) {
    return method.oneway() ? "one-way" : "two-way";
  }

  private static List<Member> exceptions(Method method) {
    return method.errors().stream().map(type -> new Member(type, type, true)).toList();
  }

  private SchemaDiff type(TypePair pair) {
    Schema.Type mine = Objects.requireNonNull(typesHere.get(pair.here()));
    Schema.Type theirs = Objects.requireNonNull(typesThere.get(pair.there()));
    boolean sameName = mine.name().equals(theirs.name());
    String theirName = SchemaDiff.brief(theirs.name());
    String what = "type " + mine.name() + (sameName ? "" : " (" + theirName + " there)");
    SchemaDiff found = comparison(what);
    if (mine.kind() != theirs.kind()) {
      found.differ("", mine.kind().toString(), theirs.kind().toString());
      return found;
    }
    switch (mine.kind()) {
      case RECORD -> {
        found.inOrder(", member", 1, mine.members(), theirs.members());
        found.beyond("member", mine.members(), theirs.members());
      }
      case ENUM -> found.inOrder(", constant", 0, mine.members(), theirs.members());
      case SEALED -> subtypes(found, mine.members(), theirs.members());
      case CUSTOM -> {
        found.types(", class id of its serializer", classId(mine), classId(theirs));
        layouts(found, mine.members(), theirs.members());
      }
    }
    if (!sameName) {
      found.notes.add("type " + mine.name() + " is " + theirName + " there");
    }
    return found;
  }

  private static String classId(Schema.Type custom) {
    return custom.members().isEmpty() ? "none" : custom.members().getFirst().name();
  }

  /**
   * Compares the parts that both ends have; further parts were added later. The first member is the
   * class id.
   */
  private static void layouts(SchemaDiff found, List<Member> mine, List<Member> theirs) {
    for (int i = 1; i < Math.min(mine.size(), theirs.size()); i++) {
      String here = mine.get(i).name();
      String there = theirs.get(i).name();
      if (!here.equals(there)) {
        int alike = alike(here, there);
        found.differ(
            ", part " + i + " of its serializer's layout",
            here.substring(alike),
            there.substring(alike));
      }
    }
  }

  /**
   * Returns the length of the common start to leave out, so that a shortened message shows the
   * difference.
   */
  private static int alike(String here, String there) {
    int at = 0;
    while (at < Math.min(here.length(), there.length()) && here.charAt(at) == there.charAt(at)) {
      at++;
    }
    return at < 100 ? 0 : here.lastIndexOf(' ', at) + 1;
  }

  /** An id must not change its subtype, and a subtype must not change its id. */
  private static void subtypes(SchemaDiff found, List<Member> mine, List<Member> theirs) {
    Map<String, Member> idsThere = by(theirs, Member::name);
    Map<String, Member> typesHere = by(mine, Member::type);
    Map<String, Member> typesThere = by(theirs, Member::type);
    for (Member a : mine) {
      Member b = idsThere.get(a.name());
      Member sameType = typesThere.get(a.type());
      if (b != null && !b.type().equals(a.type())) {
        String place = ", subtype with id " + a.name();
        if (sameType != null || typesHere.containsKey(b.type())) {
          found.differ(place, a.type(), b.type());
        } else {
          found.types(place, a.type(), b.type());
        }
      } else if (b != null) {
        found.types(", subtype with id " + a.name(), a.type(), b.type());
      } else if (sameType != null) {
        found.differ(", id of subtype " + a.type(), a.name(), sameType.name());
      }
    }
  }
}
