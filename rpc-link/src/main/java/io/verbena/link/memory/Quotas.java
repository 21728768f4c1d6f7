package io.verbena.link.memory;

/**
 * The quotas that the sessions of one client or server share.
 *
 * @param slots the number of message slots beside those of the pool
 * @param assemblies bytes on the heap for arriving long messages and large arrays
 * @param values bytes outside the heap for arriving large values and objects, and for bytes that
 *     are read before sending
 * @param replies bytes of results that peers have not received yet
 */
public record Quotas(Quota slots, Quota assemblies, Quota values, Quota replies) {
  /** The number of slots that each session has for itself, for any number of sessions. */
  private static final int LEAST_SLOTS = 8;

  /**
   * The number of bytes for each session, for any number of sessions: room for the longest frame.
   */
  private static final int LEAST_BYTES = 64 << 10;

  /** Returns quotas that are all free. */
  public static Quotas of(long slots, long assemblyBytes, long valueBytes, long replyBytes) {
    return new Quotas(
        new Quota(slots, LEAST_SLOTS), bytes(assemblyBytes), bytes(valueBytes), bytes(replyBytes));
  }

  private static Quota bytes(long limit) {
    return new Quota(limit, Math.min(limit / 2, LEAST_BYTES));
  }
}
