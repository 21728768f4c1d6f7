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
 * Values that travel with a call's arguments and with its reply. Each value has a typed key. A key
 * may have several values, which keep the order in which they were added. Immutable.
 *
 * <pre>{@code
 * static final Metadata.Key<String> REQUEST_ID = Metadata.Key.text("request-id");
 *
 * Metadata metadata = Metadata.EMPTY.with(REQUEST_ID, "7f3a");
 * String id = metadata.get(REQUEST_ID); // null where there is none
 * }</pre>
 *
 * <p>A message carries at most {@value #MAX_ENTRIES} values, of at most {@value #MAX_BYTES} bytes
 * in all, names included. A call with more fails with INVALID_ARGUMENT and is not sent. These
 * totals are checked only when a message is encoded, so that metadata of several origins can be
 * combined.
 */
public final class Metadata implements Serializable {
  /** The largest size of a message's metadata, in bytes, names included. */
  public static final int MAX_BYTES = 8 * 1024;

  /** The largest number of values in a message. */
  public static final int MAX_ENTRIES = 64;

  /**
   * The beginning of names that Verbena itself uses, such as that of {@link Priority}. Keys of
   * users have other names.
   */
  public static final String RESERVED_PREFIX = "verbena-";

  /** No values. */
  public static final Metadata EMPTY = new Metadata(new byte[0], 0);

  private static final long serialVersionUID = 1L;

  /**
   * For each value: length of the name (1 byte), name, length of the value (2 bytes, big-endian),
   * value.
   */
  private final byte[] entries;

  private final int size;

  private Metadata(byte[] entries, int size) {
    this.entries = entries;
    this.size = size;
  }

  /**
   * The name of values, and their conversion to and from bytes. Two keys with the same name are the
   * same key, and both ends must agree on its type. Immutable. Its functions run on the thread that
   * adds or reads a value.
   *
   * @param <T> the type of the values
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
            "a metadata key has 1 to %d characters of a-z, 0-9, '-', '_' and '.', unlike \"%s\""
                .formatted(MOST_CHARACTERS, name));
      }
      return name;
    }

    /** Returns a key for texts of Verbena itself. */
    static Key<String> reserved(String name) {
      return new Key<>(
          name,
          text -> text.getBytes(StandardCharsets.UTF_8),
          bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    /**
     * Returns a key for texts.
     *
     * @param name 1 to 64 characters, each one of a-z, 0-9, '-', '_' and '.'. Names that begin with
     *     {@value Metadata#RESERVED_PREFIX} are reserved
     * @throws IllegalArgumentException if the name is invalid or reserved
     */
    public static Key<String> text(String name) {
      return of(name, text -> text, text -> text);
    }

    /**
     * Returns a key for byte arrays. An array is copied when it is added and when it is read.
     *
     * @param name as for {@link #text}
     */
    public static Key<byte[]> bytes(String name) {
      return ofBytes(name, bytes -> bytes, bytes -> bytes);
    }

    /**
     * Returns a key for values that travel as text, in UTF-8.
     *
     * @param name as for {@link #text}
     * @param printer returns a value's text
     * @param parser returns the value of a text. The text comes from a peer and may be anything.
     *     {@link Metadata#get} throws what the parser throws
     */
    public static <T> Key<T> of(
        String name, Function<? super T, String> printer, Function<String, ? extends T> parser) {
      return ofBytes(
          name,
          value -> printer.apply(value).getBytes(StandardCharsets.UTF_8),
          bytes -> parser.apply(new String(bytes, StandardCharsets.UTF_8)));
    }

    /**
     * Returns a key for values that travel as bytes.
     *
     * @param name as for {@link #text}
     * @param printer returns a value's bytes
     * @param parser returns the value of bytes. The bytes come from a peer and may be anything.
     *     {@link Metadata#get} throws what the parser throws
     */
    public static <T> Key<T> ofBytes(
        String name, Function<? super T, byte[]> printer, Function<byte[], ? extends T> parser) {
      if (Checks.required("name", name).startsWith(RESERVED_PREFIX)) {
        throw new IllegalArgumentException(
            "metadata keys that begin with \"%s\" are Verbena's own: \"%s\" needs another name. Priority and AttemptNumber set and read theirs"
                .formatted(RESERVED_PREFIX, name));
      }
      return new Key<>(name, printer, parser);
    }

    /** Returns the name of this key. */
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
   * Returns a copy in which the key has this value alone.
   *
   * @throws IllegalArgumentException if the value alone is longer than {@value #MAX_BYTES} bytes
   */
  public <T> Metadata with(Key<T> key, T value) {
    return without(key).plus(key, value);
  }

  /**
   * Returns a copy in which this value is appended to those of the key.
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

  /** Returns these values followed by those of the other. */
  public Metadata plus(Metadata other) {
    if (other.size == 0 || size == 0) {
      return size == 0 ? other : this;
    }
    byte[] both = Arrays.copyOf(entries, entries.length + other.entries.length);
    System.arraycopy(other.entries, 0, both, entries.length, other.entries.length);
    return new Metadata(both, size + other.size);
  }

  /** Returns a copy without the values of a key. */
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

  /** Returns the last value of a key; null if it has none. Throws what the key's parser throws. */
  public <T> @Nullable T get(Key<T> key) {
    int last = -1;
    for (int at = 0; at < entries.length; at = end(at)) {
      last = isOf(key, at) ? at : last;
    }
    return last < 0 ? null : key.parser.apply(value(last));
  }

  /**
   * Returns the values of a key, in the order in which they were added. Throws what the key's
   * parser throws.
   */
  public <T> List<T> all(Key<T> key) {
    List<T> all = new ArrayList<>();
    for (int at = 0; at < entries.length; at = end(at)) {
      if (isOf(key, at)) {
        all.add(key.parser.apply(value(at)));
      }
    }
    return all;
  }

  /**
   * Returns the names of the keys that have values, each name once, in the order of their first
   * values.
   */
  public Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    for (int at = 0; at < entries.length; at = end(at)) {
      names.add(new String(entries, at + 1, entries[at], StandardCharsets.US_ASCII));
    }
    return names;
  }

  /** Returns the number of values of all keys. */
  public int size() {
    return size;
  }

  /** Returns whether there is no value. */
  public boolean isEmpty() {
    return size == 0;
  }

  // ---- as bytes ----

  /** Returns the length of {@link #toBytes} in bytes. */
  public int byteSize() {
    return entries.length;
  }

  /** Returns a new array with all keys and values, encoded as on the wire. */
  public byte[] toBytes() {
    return entries.clone();
  }

  /**
   * Returns the metadata that {@link #toBytes} encoded.
   *
   * @throws IllegalArgumentException if the bytes are malformed, or more than a message carries
   */
  public static Metadata ofBytes(byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "%d bytes of metadata are more than the limit of %d".formatted(bytes.length, MAX_BYTES));
    }
    int count = 0;
    for (int at = 0; at < bytes.length; count++) {
      at = checkedEnd(bytes, at);
    }
    if (count > MAX_ENTRIES) {
      throw new IllegalArgumentException(
          "%d values of metadata are more than the limit of %d".formatted(count, MAX_ENTRIES));
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
      throw new IllegalArgumentException("the metadata are malformed at byte " + at);
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

  /** Returns whether both have the same values for the same keys in the same order. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Metadata that && Arrays.equals(entries, that.entries);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(entries);
  }

  /**
   * Returns the names, and the sizes of their values in bytes. The values themselves may be secret.
   */
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
