package io.verbena.codec;

import io.verbena.api.stub.Schema.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The findings for one method or type compared with its counterpart. The types that it names are
 * compared separately.
 */
final class SchemaDiff {
  /** Deeper nesting than any type has. */
  private static final int MOST_DEPTH = 64;

  /** Enough to see the problem. A peer could cause as many as fit in a message. */
  private static final int MOST_TOLD = 8;

  /**
   * The longest name in a message. A peer chooses the length of its names, and a name may appear
   * for each member.
   */
  private static final int LONGEST_NAME = 200;

  /** A type of this end, and the peer's type in the same place. */
  record TypePair(String here, String there) {}

  private final Set<String> definedHere;
  private final Set<String> definedThere;
  private final String what;

  final List<String> misfits = new ArrayList<>();
  final List<String> notes = new ArrayList<>();
  final Set<TypePair> pairs = new LinkedHashSet<>();

  /**
   * Starts without findings.
   *
   * @param what the subject of the comparison, for messages
   */
  SchemaDiff(String what, Set<String> definedHere, Set<String> definedThere) {
    this.what = what;
    this.definedHere = definedHere;
    this.definedThere = definedThere;
  }

  /** Adds a misfit with the values at both ends. */
  void differ(String detail, String here, String there) {
    tell(misfits, detail, " is", here, there);
  }

  private void renamed(String detail, String here, String there) {
    tell(notes, detail, " is", here, there);
  }

  private void tell(List<String> to, String detail, String verb, String here, String there) {
    if (to.size() < MOST_TOLD) {
      to.add(
          what
              + brief(detail)
              + verb
              + " '"
              + brief(here)
              + "' here and '"
              + brief(there)
              + "' there");
    }
  }

  /** Returns a text shortened for messages. */
  static String brief(String text) {
    return text.length() <= LONGEST_NAME ? text : text.substring(0, LONGEST_NAME) + "…";
  }

  /** Compares two types by their parts. Types with a definition are compared later. */
  void types(String detail, String here, String there) {
    if (!match(here, there, 0)) {
      differ(detail, here, there);
    }
  }

  /** Compares the results of two methods in the same way. */
  void results(String here, String there) {
    if (!match(here, there, 0)) {
      tell(misfits, "", " returns", here, there);
    }
  }

  private boolean match(String here, String there, int depth) {
    boolean mine = definedHere.contains(here);
    boolean theirs = definedThere.contains(there);
    if (mine && theirs) {
      pairs.add(new TypePair(here, there));
      return true;
    }
    if (mine != theirs || depth > MOST_DEPTH) {
      return false;
    }
    TypeText a = TypeText.of(here);
    TypeText b = TypeText.of(there);
    if (!a.outer().equals(b.outer()) || a.parts().size() != b.parts().size()) {
      return false;
    }
    for (int i = 0; i < a.parts().size(); i++) {
      if (!match(a.parts().get(i), b.parts().get(i), depth + 1)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Compares members that are identified by their position. A new name at a position is a rename. A
   * name that the other end has at another position has moved, and the reader would confuse the two
   * members.
   */
  void inOrder(String detail, int first, List<Member> mine, List<Member> theirs) {
    Set<String> namesHere = names(mine);
    Set<String> namesThere = names(theirs);
    int common = Math.min(mine.size(), theirs.size());
    for (int i = 0; i < common; i++) {
      Member a = mine.get(i);
      Member b = theirs.get(i);
      String place = detail + " " + (i + first);
      boolean renamed = !a.name().equals(b.name());
      if (renamed && (namesThere.contains(a.name()) || namesHere.contains(b.name()))) {
        differ(place, words(a), words(b));
      } else if (!match(a.type(), b.type(), 0)) {
        differ(place, words(a), words(b));
      } else if (renamed) {
        renamed(place, a.name(), b.name());
      }
    }
  }

  private static Set<String> names(List<Member> members) {
    return members.stream().map(Member::name).collect(Collectors.toCollection(HashSet::new));
  }

  /**
   * Checks the members that only one end has, after all those of the other. They must have
   * defaults.
   */
  void beyond(String kind, List<Member> mine, List<Member> theirs) {
    boolean here = mine.size() > theirs.size();
    List<Member> longer = here ? mine : theirs;
    String end = here ? "here" : "there";
    for (Member extra : longer.subList(Math.min(mine.size(), theirs.size()), longer.size())) {
      List<String> to = extra.optional() ? notes : misfits;
      if (to.size() < MOST_TOLD) {
        String name = brief(words(extra));
        to.add(
            "%s: %s '%s' exists only %s".formatted(what, kind, name, end)
                + (extra.optional()
                    ? ": the other end skips it, and it reads as its default " + end
                    : " and has no default: make it @Nullable or Optional"));
      }
    }
  }

  private static String words(Member member) {
    return member.type().isEmpty() || member.type().equals(member.name())
        ? member.name()
        : member.name() + ": " + member.type();
  }
}
