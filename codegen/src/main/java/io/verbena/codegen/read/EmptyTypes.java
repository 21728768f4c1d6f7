package io.verbena.codegen.read;

import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Definition.Member;
import io.verbena.codegen.model.Definition.Subtype;
import io.verbena.codegen.model.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds types of which no value can exist: a record that needs another of its own kind without end,
 * and an enum without constants. A member that may be null or empty, or another subtype, ends such
 * a cycle.
 */
final class EmptyTypes {
  private final SortedMap<String, Definition> definitions;
  private final Set<String> makeable = new HashSet<>();

  EmptyTypes(SortedMap<String, Definition> definitions) {
    this.definitions = definitions;
    while (addMakeable()) {
      // Each round finds the types that need only those found before.
    }
  }

  /**
   * Returns the reasons that values of types cannot be made: one entry for each cycle, at the type
   * that begins it. Types that only lead into a cycle are not included.
   */
  Map<String, String> problems() {
    Map<String, String> problems = new TreeMap<>();
    Set<String> told = new HashSet<>();
    for (Definition start : definitions.values()) {
      Map<String, String> way = new LinkedHashMap<>();
      Definition type = start;
      while (type != null
          && !makeable.contains(type.name())
          && !told.contains(type.name())
          && !way.containsKey(type.name())) {
        Need need = need(type);
        way.put(type.name(), need == null ? "" : need.words());
        if (need == null) {
          problems.put(type.name(), "it has no constants. Add one");
        }
        type = need == null ? null : definitions.get(need.type());
      }
      if (type != null && way.containsKey(type.name())) {
        problems.put(type.name(), circle(way, type.name()));
      }
      told.addAll(way.keySet());
    }
    return problems;
  }

  private static String circle(Map<String, String> way, String start) {
    List<String> words = new ArrayList<>();
    boolean inside = false;
    for (Map.Entry<String, String> step : way.entrySet()) {
      inside |= step.getKey().equals(start);
      if (inside) {
        words.add(step.getValue());
      }
    }
    return String.join(", ", words) + ". Make one of these @Nullable, an Optional or a List";
  }

  private boolean addMakeable() {
    boolean added = false;
    for (Definition type : definitions.values()) {
      if (!makeable.contains(type.name()) && need(type) == null && !isEmpty(type)) {
        makeable.add(type.name());
        added = true;
      }
    }
    return added;
  }

  private static boolean isEmpty(Definition type) {
    return type instanceof Definition.Constants constants && constants.constants().isEmpty();
  }

  /** The reason that no value of a type can be made. */
  private record Need(String type, String words) {}

  private @Nullable Need need(Definition type) {
    return switch (type) {
      case Definition.Members members -> ofMembers(members);
      case Definition.Choice choice -> ofSubtypes(choice);
      case Definition.Constants constants -> null;
      case Definition.Custom custom -> null;
    };
  }

  private @Nullable Need ofMembers(Definition.Members type) {
    for (Member member : type.members()) {
      if (member.shape() instanceof Shape.Named named && !isMakeable(named)) {
        String words = "'" + member.name() + "' of " + type.label() + " needs " + simple(named);
        return new Need(named.name(), words);
      }
    }
    return null;
  }

  private @Nullable Need ofSubtypes(Definition.Choice type) {
    Need first = null;
    for (Subtype subtype : type.subtypes()) {
      if (isMakeable(subtype.shape())) {
        return null;
      }
      if (first == null) {
        String words =
            "each subtype of " + type.label() + " needs another, as " + simple(subtype.shape());
        first = new Need(subtype.shape().name(), words);
      }
    }
    return first;
  }

  /** A type without a definition was reported already. */
  private boolean isMakeable(Shape.Named shape) {
    return makeable.contains(shape.name()) || !definitions.containsKey(shape.name());
  }

  private static String simple(Shape.Named shape) {
    String raw = shape.name().replaceAll("<.*", "");
    return raw.substring(raw.lastIndexOf('.') + 1);
  }
}
