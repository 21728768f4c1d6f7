package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.Layouts;

/** The scatter/gather list of a request. Reused; guarded by the fabric's lock. */
final class ScatterList {
  private final long[] addresses;
  private final int[] lengths;
  private final int[] lkeys;
  private int count;

  ScatterList(int max) {
    addresses = new long[Math.max(1, max)];
    lengths = new int[Math.max(1, max)];
    lkeys = new int[Math.max(1, max)];
  }

  /** Reads the list of a work request. */
  void load(long workRequest) {
    long list = FabricMemory.getLong(workRequest + Layouts.WR_SG_LIST);
    count = FabricMemory.getInt(workRequest + Layouts.WR_NUM_SGE);
    for (int i = 0; i < count; i++) {
      long sge = list + (long) i * Layouts.SGE_SIZE;
      addresses[i] = FabricMemory.getLong(sge + Layouts.SGE_ADDRESS);
      lengths[i] = FabricMemory.getInt(sge + Layouts.SGE_LENGTH);
      lkeys[i] = FabricMemory.getInt(sge + Layouts.SGE_LKEY);
    }
  }

  /** Reads the first piece even if the request has none, unless it has no list either. */
  void loadFirst(long workRequest) {
    long list = FabricMemory.getLong(workRequest + Layouts.WR_SG_LIST);
    if (count == 0 && list != 0) {
      count = 1;
      addresses[0] = FabricMemory.getLong(list + Layouts.SGE_ADDRESS);
      lengths[0] = FabricMemory.getInt(list + Layouts.SGE_LENGTH);
      lkeys[0] = FabricMemory.getInt(list + Layouts.SGE_LKEY);
    }
  }

  /** Copies the content of the pieces to one place that needs no key, and refers to that. */
  void gatherInline(long place) {
    long length = length();
    copyTo(place, length);
    count = 1;
    addresses[0] = place;
    lengths[0] = (int) length;
  }

  long length() {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += Integer.toUnsignedLong(lengths[i]);
    }
    return sum;
  }

  /** Returns whether the device may use every piece. */
  boolean allowed(FabricPd pd, boolean write) {
    for (int i = 0; i < count; i++) {
      long length = Integer.toUnsignedLong(lengths[i]);
      if (length > 0 && !pd.keys().allowsLocal(pd, lkeys[i], addresses[i], length, write)) {
        return false;
      }
    }
    return true;
  }

  /** Copies the first {@code length} bytes of the pieces to one place. */
  void copyTo(long place, long length) {
    long done = 0;
    for (int i = 0; i < count && done < length; i++) {
      long part = Math.min(Integer.toUnsignedLong(lengths[i]), length - done);
      FabricMemory.copy(addresses[i], place + done, part);
      done += part;
    }
  }

  /** Copies {@code length} bytes of one place into the pieces, which are at least as long. */
  void copyFrom(long place, long length) {
    long done = 0;
    for (int i = 0; i < count && done < length; i++) {
      long part = Math.min(Integer.toUnsignedLong(lengths[i]), length - done);
      FabricMemory.copy(place + done, addresses[i], part);
      done += part;
    }
  }

  /** Writes the old value of an atomic to the first piece. */
  void putLong(long value) {
    FabricMemory.putLong(addresses[0], value);
  }

  /** Copies these pieces into others, which are at least as long. */
  void copyTo(ScatterList other) {
    int target = 0;
    long at = 0;
    for (int i = 0; i < count; i++) {
      long done = 0;
      long length = Integer.toUnsignedLong(lengths[i]);
      while (done < length) {
        long room = Integer.toUnsignedLong(other.lengths[target]) - at;
        long part = Math.min(room, length - done);
        FabricMemory.copy(addresses[i] + done, other.addresses[target] + at, part);
        done += part;
        at += part;
        if (part == room) {
          target++;
          at = 0;
        }
      }
    }
  }
}
