package io.verbena.link.memory;

/**
 * What the sessions of one client or server share, and each has its part of.
 *
 * @param slots how many message slots each has beside those of the pool
 * @param assemblies bytes on the heap for long messages and large arrays while they arrive
 * @param values bytes outside the heap for large values and objects while they arrive, and for what
 *     is read ahead of sending
 * @param replies bytes of results that peers have yet to take
 */
public record Quotas(Quota slots, Quota assemblies, Quota values, Quota replies) {
  /** However many sessions there are, each has so many slots for itself. */
  private static final int LEAST_SLOTS = 8;

  /** However many sessions there are, a frame of the longest finds room. */
  private static final int LEAST_BYTES = 64 << 10;

  /** All of it free. */
  public static Quotas of(long slots, long assemblyBytes, long valueBytes, long replyBytes) {
    return new Quotas(
        new Quota(slots, LEAST_SLOTS), bytes(assemblyBytes), bytes(valueBytes), bytes(replyBytes));
  }

  private static Quota bytes(long limit) {
    return new Quota(limit, Math.min(limit / 2, LEAST_BYTES));
  }
}
