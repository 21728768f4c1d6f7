package io.verbena.core.transfer;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.ArrayList;
import java.util.List;

/**
 * What values travel beside a message, in their order: a count, then for each its length, twice,
 * plus 1 if it is an array.
 */
public record LargeValueTable(List<Entry> entries) {
  /** So many values leave their message at most; further ones stay in it. */
  static final int MOST_ENTRIES = 256;

  /** The longest array that every JVM can make. */
  static final long LONGEST_ARRAY = Integer.MAX_VALUE - 8L;

  /**
   * One value.
   *
   * @param length in bytes
   * @param array whether its reader wants an array, on its heap
   */
  record Entry(long length, boolean array) {}

  /** Copies the list. */
  public LargeValueTable {
    entries = List.copyOf(entries);
  }

  void write(WireOut out) {
    out.writeCount(entries.size());
    for (Entry entry : entries) {
      out.writeVarLong(entry.length << 1 | (entry.array ? 1 : 0));
    }
  }

  /** Reads a table; the peer wrote it, so nothing in it is trusted. */
  public static LargeValueTable read(WireIn in) {
    int count = in.readCount(1);
    if (count < 1 || count > MOST_ENTRIES) {
      throw new WireException(count + " values beside a message");
    }
    List<Entry> entries = new ArrayList<>(count);
    long total = 0;
    for (int i = 0; i < count; i++) {
      long packed = in.readVarLong();
      Entry entry = new Entry(packed >>> 1, (packed & 1) != 0);
      total += entry.length;
      if (entry.length < 1 || total < 0 || (entry.array && entry.length > LONGEST_ARRAY)) {
        throw new WireException("a value of " + entry.length + " bytes beside a message");
      }
      entries.add(entry);
    }
    return new LargeValueTable(entries);
  }

  /** Returns the same values, all of them arrays for their reader. */
  LargeValueTable onHeap() {
    return new LargeValueTable(entries.stream().map(one -> new Entry(one.length, true)).toList());
  }

  /** Returns how many bytes they have together. */
  public long total() {
    return entries.stream().mapToLong(Entry::length).sum();
  }

  /** Returns how many bytes the arrays among them have together. */
  long inArrays() {
    return entries.stream().filter(Entry::array).mapToLong(Entry::length).sum();
  }
}
