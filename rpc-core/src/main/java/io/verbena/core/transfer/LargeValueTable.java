package io.verbena.core.transfer;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.ArrayList;
import java.util.List;

/**
 * The large values beside a message, in order. On the wire: a count, then for each value twice its
 * length, plus 1 if it is an array.
 */
public record LargeValueTable(List<Entry> entries) {
  /** The most values beside a message. Further ones stay in it. */
  static final int MOST_ENTRIES = 256;

  /** The longest array that every JVM supports. */
  static final long LONGEST_ARRAY = Integer.MAX_VALUE - 8L;

  /**
   * One value.
   *
   * @param length in bytes
   * @param array whether the receiver reads it as an array on the heap
   */
  record Entry(long length, boolean array) {}

  public LargeValueTable {
    entries = List.copyOf(entries);
  }

  void write(WireOut out) {
    out.writeCount(entries.size());
    for (Entry entry : entries) {
      out.writeVarLong(entry.length << 1 | (entry.array ? 1 : 0));
    }
  }

  /** Reads a table. Checks everything, because the peer wrote it. */
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

  /** Returns the same table with every value as an array. */
  LargeValueTable onHeap() {
    return new LargeValueTable(entries.stream().map(one -> new Entry(one.length, true)).toList());
  }

  public long total() {
    return entries.stream().mapToLong(Entry::length).sum();
  }

  long inArrays() {
    return entries.stream().filter(Entry::array).mapToLong(Entry::length).sum();
  }
}
