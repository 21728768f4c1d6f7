package io.verbena.link.memory;

import io.verbena.api.settings.Checks;

/** The kinds of memory that the sessions of one client or server share, each with its setting. */
public enum Memory {
  /**
   * Slots for messages in flight. 32 MiB hold 4,096 small messages, as many as four full windows.
   * With more than 16 GiB, the list of free slots alone would take 50 MB.
   */
  SLOTS("slotMemoryBytes", false, 1, 16L << 30, 32L << 20),

  /** The heap for arriving long messages and large arrays. */
  ASSEMBLY("maxAssemblyBytes", true, 1, Long.MAX_VALUE, Math.max(64L << 20, quarterOfHeap())),

  /** The heap for results that peers have not received yet. */
  REPLIES("maxReplyBytes", false, 1, Long.MAX_VALUE, quarterOfHeap()),

  /**
   * Memory outside the heap for arriving large values and objects, and for bytes that are read
   * before sending. At least the piece in which files are read and written. 512 MiB serve a hundred
   * files in transfer, or hold two objects of 256 MiB in pooled memory.
   */
  BULK("bulkMemoryBytes", true, 1 << 20, Long.MAX_VALUE, 512L << 20);

  private final String setting;
  private final boolean arrivals;
  private final long least;
  private final long most;
  private final long usual;

  Memory(String setting, boolean arrivals, long least, long most, long usual) {
    this.setting = setting;
    this.arrivals = arrivals;
    this.least = least;
    this.most = most;
    this.usual = usual;
  }

  private static long quarterOfHeap() {
    return Runtime.getRuntime().maxMemory() / 4;
  }

  /** Returns the name of the setting, for messages. */
  public String setting() {
    return setting;
  }

  /** Returns whether the peer fills it, and may stop before the end. */
  public boolean isForArrivals() {
    return arrivals;
  }

  /** Returns the limit in bytes where none is set. */
  public long usualBytes() {
    return usual;
  }

  /**
   * Returns a limit in bytes.
   *
   * @throws IllegalArgumentException if it is out of range, which the message names
   */
  public long checked(long bytes) {
    return Checks.between(setting, bytes, least, most);
  }
}
