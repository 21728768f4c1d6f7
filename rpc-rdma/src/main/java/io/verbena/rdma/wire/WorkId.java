package io.verbena.rdma.wire;

/**
 * What a work request is called, so that its completion finds back, on errors too, where nothing
 * else of a completion is valid.
 *
 * <pre>
 *  63           48 47           32 31       24 23                    0
 *  +--------------+---------------+-----------+-----------------------+
 *  | generation   | link          | kind      | slot                  |
 *  +--------------+---------------+-----------+-----------------------+
 *
 *  link        index in the table of the device's links
 *  generation  counts the links that had the index, and wraps: what comes late is not taken for
 *              the next link's
 *  slot        of a receive: which of the pool; of a SEND: its place in the send queue, whatever
 *              kind of request stands there
 * </pre>
 */
public final class WorkId {
  /** A receive. */
  public static final int RECEIVE = 1;

  /** A Send, a WRITE, or what a window is bound or invalidated by. */
  public static final int SEND = 2;

  /** The last request on a send queue that is being drained. */
  public static final int LAST_SEND = 3;

  /** A receive that links share: the link is the one whose queue pair the completion names. */
  public static final int SHARED_RECEIVE = 4;

  /** How many links there can be at once. */
  public static final int MOST_LINKS = 1 << 16;

  /** How many slots there can be. */
  public static final int MOST_SLOTS = 1 << 24;

  private WorkId() {}

  /** Returns the upper half, which all requests of a link share. */
  public static long link(int generation, int index) {
    return (long) (generation & 0xffff) << 48 | (long) (index & 0xffff) << 32;
  }

  /** Returns the name of one request. */
  public static long of(long link, int kind, int slot) {
    return link | (long) kind << 24 | slot;
  }

  /** Returns the upper half of a name. */
  public static long link(long workId) {
    return workId & 0xffff_ffff_0000_0000L;
  }

  /** Returns which link it belongs to, or did. */
  public static int index(long workId) {
    return (int) (workId >>> 32) & 0xffff;
  }

  /** Returns how many links had the index before it and with it, as far as 16 bits tell. */
  public static int generation(long workId) {
    return (int) (workId >>> 48);
  }

  /** Returns what kind of request it is. */
  public static int kind(long workId) {
    return (int) (workId >>> 24) & 0xff;
  }

  /** Returns its slot. */
  public static int slot(long workId) {
    return (int) workId & 0xff_ffff;
  }
}
