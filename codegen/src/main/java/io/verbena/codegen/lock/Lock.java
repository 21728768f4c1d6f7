package io.verbena.codegen.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The wire format of a contract, as a text that is committed with it:
 *
 * <pre>
 * method 1 find
 *   takes text java.lang.String
 *   returns shop.Shop.Item
 *   throws 1 shop.Shop.Closed
 * method 2 sell removed
 * record shop.Shop.Item
 *   has price long
 * sealed shop.Shop.Payment
 *   id 1 shop.Shop.Card
 *   id 2 removed
 * </pre>
 *
 * @param methods by id
 * @param types by name
 */
record Lock(TreeMap<Integer, Entry> methods, TreeMap<String, Entry> types) {
  /** Replaces the type of a removed part. */
  static final String REMOVED = "removed";

  private static final String METHOD = "method";
  private static final Set<String> TYPES = Set.of("record", "enum", "sealed", "custom");
  private static final String ID = "[1-9][0-9]{0,8}";
  private static final String INDENT = "  ";

  /** The text is not a valid lock. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1;

    UnreadableException(int line, String text) {
      super("line %d is '%s'".formatted(line, text));
    }
  }

  /**
   * A method or a type.
   *
   * @param kind {@code method}, or the form of the type
   * @param name of a method, without its id
   */
  record Entry(String kind, String name, boolean removed, List<Part> parts) {
    /** Returns the parts with this word, in order. */
    List<Part> parts(String word) {
      return parts.stream().filter(part -> part.word.equals(word)).toList();
    }
  }

  /**
   * A line of a method or type.
   *
   * @param word the kind of the part
   * @param name a name without spaces, an id, or an index
   * @param type empty for none
   * @param optional whether there is a default if a peer does not send it; not in the text
   */
  record Part(String word, String name, String type, boolean optional) {
    Part(String word, String name, String type) {
      this(word, name, type, false);
    }

    boolean isRemoved() {
      return type.equals(REMOVED);
    }

    @Override
    public String toString() {
      return (word + " " + name + " " + type).strip();
    }
  }

  /** Returns the lock as text. */
  String text(String service) {
    StringBuilder text = new StringBuilder();
    text.append("# What ").append(service).append(" says on the wire. ");
    text.append("Kept by Verbena's annotation processor: commit it with the contract.\n");
    methods.forEach((id, entry) -> write(text, METHOD + " " + id + " " + entry.name, entry));
    types.forEach((name, entry) -> write(text, entry.kind + " " + name, entry));
    return text.toString();
  }

  private static void write(StringBuilder text, String head, Entry entry) {
    text.append(head).append(entry.removed ? " " + REMOVED : "").append('\n');
    entry.parts.forEach(part -> text.append(INDENT).append(part).append('\n'));
  }

  /** Parses a lock. */
  static Lock parse(String text) throws UnreadableException {
    Lock lock = empty();
    int number = 0;
    Entry last = null;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith(INDENT)) {
        Part part = part(line);
        if (part == null || last == null) {
          throw new UnreadableException(number, line);
        }
        last.parts.add(part);
      } else {
        last = lock.add(line);
        if (last == null) {
          throw new UnreadableException(number, line);
        }
      }
    }
    return lock;
  }

  private static @Nullable Part part(String line) {
    String[] words = line.strip().split(" ", 3);
    boolean readable = words.length > 1 && (!words[0].equals("id") || words[1].matches(ID));
    return !readable ? null : new Part(words[0], words[1], words.length == 3 ? words[2] : "");
  }

  private @Nullable Entry add(String line) {
    String[] words = line.split(" ", 2);
    if (words.length < 2) {
      return null;
    }
    if (TYPES.contains(words[0])) {
      Entry entry = new Entry(words[0], words[1], false, new ArrayList<>());
      return types.putIfAbsent(words[1], entry) == null ? entry : null;
    }
    String[] method = words[1].split(" ", -1);
    boolean removed = method.length == 3 && method[2].equals(REMOVED);
    if (!words[0].equals(METHOD) || method.length != (removed ? 3 : 2) || !method[0].matches(ID)) {
      return null;
    }
    Entry entry = new Entry(METHOD, method[1], removed, new ArrayList<>());
    return methods.putIfAbsent(Integer.parseInt(method[0]), entry) == null ? entry : null;
  }

  /** Returns an empty lock. */
  static Lock empty() {
    return new Lock(new TreeMap<>(), new TreeMap<>());
  }
}
