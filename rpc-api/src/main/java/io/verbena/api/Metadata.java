package io.verbena.api;

import io.verbena.api.settings.Checks;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What travels with a call beside its arguments, and with its reply beside the result: values by
 * typed keys, several for a key, in the order in which they were added. Immutable.
 *
 * <pre>{@code
 * static final Metadata.Key<String> REQUEST_ID = Metadata.Key.text("request-id");
 *
 * Metadata metadata = Metadata.EMPTY.with(REQUEST_ID, "7f3a");
 * String id = metadata.get(REQUEST_ID); // null where there is none
 * }</pre>
 *
 * <p>A message takes at most {@value #MAX_ENTRIES} values and {@value #MAX_BYTES} bytes of them,
 * with their names. A call with more fails with INVALID_ARGUMENT and is not sent. The longest and
 * the most are not checked before, so that metadata of several origins can be put together.
 */
public final class Metadata implements Serializable {
  /** So many bytes of metadata go into a message. */
  public static final int MAX_BYTES = 8 * 1024;

  /** So many values go into a message. */
  public static final int MAX_ENTRIES = 64;

  /** None. */
  public static final Metadata EMPTY = new Metadata(new byte[0], 0);

  private static final long serialVersionUID = 1L;

  /** One by one: name's length (1 byte), name, value's length (2 bytes, big-endian), value. */
  private final byte[] entries;

  private final int size;

  private Metadata(byte[] entries, int size) {
    this.entries = entries;
    this.size = size;
  }

  /**
   * Under which name values travel, and how they become bytes. Keys of one name are one key; both
   * ends must agree on its type. Immutable; its functions are called on whatever thread adds or
   * reads a value.
   *
   * @param <T> of its values
   */
  public static final class Key<T> {
    private static final int MOST_CHARACTERS = 64;

    private final String name;
    private final byte[] ascii;
    private final Function<? super T, byte[]> printer;
    private final Function<byte[], ? extends T> parser;

    private Key(
        String name, Function<? super T, byte[]> printer, Function<byte[], ? extends T> parser) {
      this.name = checked(name);
      this.ascii = name.getBytes(StandardCharsets.US_ASCII);
      this.printer = Checks.required("printer", printer);
      this.parser = Checks.required("parser", parser);
    }

    private static String checked(String name) {
      Checks.required("name", name);
      boolean fits = !name.isEmpty() && name.length() <= MOST_CHARACTERS;
      if (!fits || !name.chars().allMatch(Metadata::isOfNames)) {
        throw new IllegalArgumentException(
            "a metadata key is 1 to %d of a-z, 0-9, '-', '_' and '.', not \"%s\""
                .formatted(MOST_CHARACTERS, name));
      }
      return name;
    }

    /**
     * Returns a key of texts.
     *
     * @param name 1 to 64 of a-z, 0-9, '-', '_' and '.'
     * @throws IllegalArgumentException if it is anything else
     */
    public static Key<String> text(String name) {
      return of(name, text -> text, text -> text);
    }

    /**
     * Returns a key of bytes. What is added is copied, and so is what is read.
     *
     * @param name as of {@link #text}
     */
    public static Key<byte[]> bytes(String name) {
      return ofBytes(name, bytes -> bytes, bytes -> bytes);
    }

    /**
     * Returns a key of values that travel as text.
     *
     * @param name as of {@link #text}
     * @param printer returns a value's text
     * @param parser returns the value of a text, which a peer may have made up; what it throws
     *     {@link Metadata#get} throws
     */
    public static <T> Key<T> of(
        String name, Function<? super T, String> printer, Function<String, ? extends T> parser) {
      return ofBytes(
          name,
          value -> printer.apply(value).getBytes(StandardCharsets.UTF_8),
          bytes -> parser.apply(new String(bytes, StandardCharsets.UTF_8)));
    }

    /**
     * Returns a key of values that travel as bytes.
     *
     * @param name as of {@link #text}
     * @param printer returns a value's bytes
     * @param parser returns the value of bytes, which a peer may have made up; what it throws
     *     {@link Metadata#get} throws
     */
    public static <T> Key<T> ofBytes(
        String name, Function<? super T, byte[]> printer, Function<byte[], ? extends T> parser) {
      return new Key<>(name, printer, parser);
    }

    /** Returns the name. */
    public String name() {
      return name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  // ---- making more of it ----

  /**
   * Returns this with one value for a key, whatever it had before.
   *
   * @throws IllegalArgumentException if the value alone is longer than {@value #MAX_BYTES} bytes
   */
  public <T> Metadata with(Key<T> key, T value) {
    return without(key).plus(key, value);
  }

  /**
   * Returns this with one value more for a key, behind those that it has.
   *
   * @throws IllegalArgumentException if the value alone is longer than {@value #MAX_BYTES} bytes
   */
  public <T> Metadata plus(Key<T> key, T value) {
    byte[] bytes = key.printer.apply(Checks.required(key.name, value));
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the value of metadata key %s takes %d bytes; at most %d travel with a message"
              .formatted(key.name, bytes.length, MAX_BYTES));
    }
    int at = entries.length;
    byte[] more = Arrays.copyOf(entries, at + 1 + key.ascii.length + 2 + bytes.length);
    more[at++] = (byte) key.ascii.length;
    System.arraycopy(key.ascii, 0, more, at, key.ascii.length);
    at += key.ascii.length;
    more[at++] = (byte) (bytes.length >> 8);
    more[at++] = (byte) bytes.length;
    System.arraycopy(bytes, 0, more, at, bytes.length);
    return new Metadata(more, size + 1);
  }

  /** Returns this with the values of another behind its own. */
  public Metadata plus(Metadata other) {
    if (other.size == 0 || size == 0) {
      return size == 0 ? other : this;
    }
    byte[] both = Arrays.copyOf(entries, entries.length + other.entries.length);
    System.arraycopy(other.entries, 0, both, entries.length, other.entries.length);
    return new Metadata(both, size + other.size);
  }

  /** Returns this without the values of a key. */
  public Metadata without(Key<?> key) {
    byte[] left = new byte[entries.length];
    int length = 0;
    int count = 0;
    for (int at = 0; at < entries.length; at = end(at)) {
      if (!isOf(key, at)) {
        System.arraycopy(entries, at, left, length, end(at) - at);
        length += end(at) - at;
        count++;
      }
    }
    return count == size ? this : new Metadata(Arrays.copyOf(left, length), count);
  }

  // ---- reading ----

  /** Returns the value of a key, the last one where there are several; null where there is none. */
  public <T> @Nullable T get(Key<T> key) {
    int last = -1;
    for (int at = 0; at < entries.length; at = end(at)) {
      last = isOf(key, at) ? at : last;
    }
    return last < 0 ? null : key.parser.apply(value(last));
  }

  /** Returns the values of a key, in the order in which they were added. */
  public <T> List<T> all(Key<T> key) {
    List<T> all = new ArrayList<>();
    for (int at = 0; at < entries.length; at = end(at)) {
      if (isOf(key, at)) {
        all.add(key.parser.apply(value(at)));
      }
    }
    return all;
  }

  /** Returns the names under which there are values, each once, in the order of the first ones. */
  public Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    for (int at = 0; at < entries.length; at = end(at)) {
      names.add(new String(entries, at + 1, entries[at], StandardCharsets.US_ASCII));
    }
    return names;
  }

  /** Returns how many values there are, of all keys. */
  public int size() {
    return size;
  }

  /** Returns whether there is no value. */
  public boolean isEmpty() {
    return size == 0;
  }

  // ---- as bytes ----

  /** Returns how many bytes {@link #toBytes} are. */
  public int byteSize() {
    return entries.length;
  }

  /** Returns all of it as bytes, as they travel. */
  public byte[] toBytes() {
    return entries.clone();
  }

  /**
   * Returns what {@link #toBytes} has made bytes of.
   *
   * @throws IllegalArgumentException if they are anything else, or more than a message takes
   */
  public static Metadata ofBytes(byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "metadata of %d bytes, where at most %d are taken".formatted(bytes.length, MAX_BYTES));
    }
    int count = 0;
    for (int at = 0; at < bytes.length; count++) {
      at = checkedEnd(bytes, at);
    }
    if (count > MAX_ENTRIES) {
      throw new IllegalArgumentException(
          "metadata of %d values, where at most %d are taken".formatted(count, MAX_ENTRIES));
    }
    return count == 0 ? EMPTY : new Metadata(bytes.clone(), count);
  }

  private static int checkedEnd(byte[] bytes, int at) {
    int name = bytes[at] & 0xff;
    int value = at + 1 + name + 2;
    boolean fits = name > 0 && name <= Key.MOST_CHARACTERS && value <= bytes.length;
    for (int i = 0; fits && i < name; i++) {
      fits = isOfNames(bytes[at + 1 + i]);
    }
    int end = fits ? value + shortAt(bytes, value - 2) : Integer.MAX_VALUE;
    if (end > bytes.length) {
      throw new IllegalArgumentException("metadata that are malformed at byte " + at);
    }
    return end;
  }

  private static boolean isOfNames(int character) {
    return (character >= 'a' && character <= 'z')
        || (character >= '0' && character <= '9')
        || character == '-'
        || character == '_'
        || character == '.';
  }

  private static int shortAt(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
  }

  private boolean isOf(Key<?> key, int at) {
    int from = at + 1;
    int length = entries[at];
    return Arrays.equals(entries, from, from + length, key.ascii, 0, key.ascii.length);
  }

  private int valueAt(int at) {
    return at + 1 + entries[at] + 2;
  }

  private int end(int at) {
    return valueAt(at) + shortAt(entries, valueAt(at) - 2);
  }

  private byte[] value(int at) {
    return Arrays.copyOfRange(entries, valueAt(at), end(at));
  }

  /** Returns whether both have the same values, for the same keys, in the same order. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Metadata that && Arrays.equals(entries, that.entries);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(entries);
  }

  /** Returns the names, and how many bytes their values take: a value may be a secret. */
  @Override
  public String toString() {
    Map<String, List<Integer>> lengths = new LinkedHashMap<>();
    for (int at = 0; at < entries.length; at = end(at)) {
      String name = new String(entries, at + 1, entries[at], StandardCharsets.US_ASCII);
      lengths.computeIfAbsent(name, n -> new ArrayList<>()).add(end(at) - valueAt(at));
    }
    List<String> words = new ArrayList<>();
    lengths.forEach((name, bytes) -> words.add(name + " of " + bytes + " bytes"));
    return "Metadata" + words;
  }
}
