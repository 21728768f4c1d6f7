package io.verbena.rdma.wire;

/**
 * The id of a work request. It leads from a completion back to the request, even after an error,
 * when nothing else in a completion is valid.
 *
 * <pre>
 *  63           48 47           32 31       24 23                    0
 *  +--------------+---------------+-----------+-----------------------+
 *  | generation   | link          | kind      | slot                  |
 *  +--------------+---------------+-----------+-----------------------+
 *
 *  link        index in the table of the device's links
 *  generation  counts the links that had the index, and wraps: a late completion does not
 *              match the next link
 *  slot        of a receive: its index in the pool; of a SEND: its place in the send queue, for
 *              any kind of request
 * </pre>
 */
public final class WorkId {
  /** A receive. */
  public static final int RECEIVE = 1;

  /** A Send, a WRITE, or a request that binds or invalidates a window. */
  public static final int SEND = 2;

  /** The last request on a send queue that is being drained. */
  public static final int LAST_SEND = 3;

  /** A receive that links share: the completion's queue pair gives the link. */
  public static final int SHARED_RECEIVE = 4;

  /** The largest number of links at once. */
  public static final int MOST_LINKS = 1 << 16;

  /** The largest number of slots. */
  public static final int MOST_SLOTS = 1 << 24;

  private WorkId() {}

  /** Returns the upper half, which all requests of a link share. */
  public static long link(int generation, int index) {
    return (long) (generation & 0xffff) << 48 | (long) (index & 0xffff) << 32;
  }

  /** Returns the id of one request. */
  public static long of(long link, int kind, int slot) {
    return link | (long) kind << 24 | slot;
  }

  /** Returns the upper half of an id. */
  public static long link(long workId) {
    return workId & 0xffff_ffff_0000_0000L;
  }

  /** Returns the index of the link that it belongs to, or belonged to. */
  public static int index(long workId) {
    return (int) (workId >>> 32) & 0xffff;
  }

  /** Returns the generation of its link, as far as 16 bits hold it. */
  public static int generation(long workId) {
    return (int) (workId >>> 48);
  }

  /** Returns the kind of the request. */
  public static int kind(long workId) {
    return (int) (workId >>> 24) & 0xff;
  }

  public static int slot(long workId) {
    return (int) workId & 0xff_ffff;
  }
}
