package io.verbena.samples.kv;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.api.region.RegionView;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A bucket of the table, as both ends see it: the key that was put last of all keys of this bucket,
 * and its value. The version is odd while the server writes.
 */
final class Bucket {
  /** The bytes for a key and its value. */
  static final int ROOM = 240;

  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          JAVA_LONG.withName("version"),
          JAVA_INT.withName("keyLength"),
          JAVA_INT.withName("valueLength"),
          MemoryLayout.sequenceLayout(ROOM, JAVA_BYTE).withName("bytes"));

  static final PathElement VERSION = groupElement("version");

  private static final long KEY_LENGTH = LAYOUT.byteOffset(groupElement("keyLength"));
  private static final long VALUE_LENGTH = LAYOUT.byteOffset(groupElement("valueLength"));
  private static final long BYTES = LAYOUT.byteOffset(groupElement("bytes"));

  /** In UTF-8; empty if nothing was put. */
  private final byte[] key;

  private final byte[] value;

  private Bucket(byte[] key, byte[] value) {
    this.key = key;
    this.value = value;
  }

  static Bucket of(String key, byte[] value) {
    Bucket bucket = new Bucket(key.getBytes(StandardCharsets.UTF_8), value);
    int bytes = bucket.key.length + value.length;
    if (bucket.key.length == 0 || bytes > ROOM) {
      throw new IllegalArgumentException(
          "a key has at least 1 byte, and with its value at most %d: '%s' has %d"
              .formatted(ROOM, key, bytes));
    }
    return bucket;
  }

  /** Returns the index of a key's bucket. */
  static long place(String key, long tableBytes) {
    int hash = key.hashCode() * 0x9E3779B9; // the same in every JVM
    return Math.floorMod(hash ^ (hash >>> 16), tableBytes / LAYOUT.byteSize());
  }

  /** Writes the bucket, on the server: one thread at a time. */
  void writeTo(MemorySegment struct) {
    RegionView.change(
        struct,
        LAYOUT,
        () -> {
          struct.set(JAVA_INT, KEY_LENGTH, key.length);
          struct.set(JAVA_INT, VALUE_LENGTH, value.length);
          MemorySegment.copy(key, 0, struct, JAVA_BYTE, BYTES, key.length);
          MemorySegment.copy(value, 0, struct, JAVA_BYTE, BYTES + key.length, value.length);
        },
        VERSION);
  }

  /** Returns the bucket in a struct that was read consistently. */
  static Bucket in(MemorySegment struct) {
    int key = struct.get(JAVA_INT, KEY_LENGTH);
    int value = struct.get(JAVA_INT, VALUE_LENGTH);
    return new Bucket(
        struct.asSlice(BYTES, key).toArray(JAVA_BYTE),
        struct.asSlice(BYTES + key, value).toArray(JAVA_BYTE));
  }

  byte[] value() {
    return value;
  }

  boolean isEmpty() {
    return key.length == 0;
  }

  boolean has(String key) {
    return Arrays.equals(this.key, key.getBytes(StandardCharsets.UTF_8));
  }
}
