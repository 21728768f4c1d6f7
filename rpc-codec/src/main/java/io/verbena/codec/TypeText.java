package io.verbena.codec;

import java.util.ArrayList;
import java.util.List;

/**
 * A type's name in a schema, parsed. {@code java.util.List<shop.Item>?} is a {@code ?} of a {@code
 * java.util.List} of {@code shop.Item}.
 *
 * @param outer a container's name, {@code []}, {@code ?}, or the whole name
 * @param parts the names of the contained types
 */
public record TypeText(String outer, List<String> parts) {
  /** The {@link #outer} of a type that may be null. */
  public static final String NULLABLE = "?";

  /** The {@link #outer} of an array. */
  public static final String ARRAY = "[]";

  /** Parses one level of a name. Any text is accepted, because a peer may have sent it. */
  public static TypeText of(String name) {
    if (name.endsWith(NULLABLE)) {
      return new TypeText(NULLABLE, List.of(without(name, NULLABLE)));
    }
    if (name.endsWith(ARRAY)) {
      return new TypeText(ARRAY, List.of(without(name, ARRAY)));
    }
    int open = name.indexOf('<');
    return open > 0 && name.endsWith(">")
        ? new TypeText(name.substring(0, open), split(name, open + 1, name.length() - 1))
        : new TypeText(name, List.of());
  }

  private static String without(String name, String end) {
    return name.substring(0, name.length() - end.length());
  }

  /** Splits at the commas outside inner brackets. */
  private static List<String> split(String name, int from, int to) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = from;
    for (int i = from; i < to; i++) {
      switch (name.charAt(i)) {
        case '<' -> depth++;
        case '>' -> depth--;
        case ',' -> {
          if (depth == 0) {
            parts.add(name.substring(start, i));
            start = i + 1;
          }
        }
        default -> {}
      }
    }
    parts.add(name.substring(start, to));
    return parts;
  }
}
