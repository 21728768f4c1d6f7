package io.verbena.core.bulk.stat;

import io.verbena.link.PinningCost;

/**
 * The lengths from which values take another way. Each way has a fixed cost and a cost per byte.
 * The way with the lower sum is taken, as UCX chooses among protocols (ucp/proto/proto_select.h)
 * and MPI libraries between eager and rendezvous:
 *
 * <pre>
 *   n bytes, copy c ns/byte, round trip R ns, pinning p ns and q ns/page
 *   in the message            5 c n              into the message, its frames and the link, and out
 *   beside it, by the pool    2 R + 2 c n        offer and grant, end and fence; in and out
 *   beside it, in place       2 R + p + q n/4096
 *
 *   beside:   5 c n = 2 R + 2 c n      n = 2 R / 3 c
 *   in place: 2 c n = p + q n/4096     n = p / (2 c - q/4096), never if a page costs more to pin
 * </pre>
 *
 * <p>p and q are the costs of warm pages. Only sent values have a choice, and their pages exist
 * because the user has written them. The user's landings are always pinned. Missing pages have to
 * be made either way, by pinning or by a copy into them.
 *
 * @param beside the shortest value of a call that travels beside its message, in bytes
 * @param inPlace the shortest user memory that is pinned instead of copied into pooled memory,
 *     which is pinned already, in bytes
 */
public record CutOffs(long beside, long inPlace) {
  /** A cut-off that is to be measured. */
  public static final long MEASURED = 0;

  /** The value without a measurement: the bytes that TCP on loopback moves in two round trips. */
  public static final long BESIDE_UNMEASURED = 256L << 10;

  /** Below this, the transfer itself costs both ends more than all copies. */
  public static final long LEAST_BESIDE = 16L << 10;

  /**
   * Above this, the frames of a message would delay small calls, whatever the cost of a round trip
   * is.
   */
  public static final long MOST_BESIDE = 4L << 20;

  private static final double COPIES_IN_MESSAGE = 5;
  private static final double COPIES_BESIDE = 2;
  private static final double ROUND_TRIPS_BESIDE = 2;

  /** Returns the cut-offs for these costs. */
  public static CutOffs of(Costs costs) {
    return new CutOffs(beside(costs), inPlace(costs));
  }

  private static long beside(Costs costs) {
    if (costs.copyPerByte() <= 0 || costs.roundTrip() <= 0) {
      return BESIDE_UNMEASURED;
    }
    double saved = (COPIES_IN_MESSAGE - COPIES_BESIDE) * costs.copyPerByte();
    double even = ROUND_TRIPS_BESIDE * costs.roundTrip() / saved;
    return Math.clamp((long) even, LEAST_BESIDE, MOST_BESIDE);
  }

  private static long inPlace(Costs costs) {
    PinningCost pinning = costs.pinning();
    if (pinning.equals(PinningCost.NONE)) {
      return 1;
    }
    double saved = COPIES_BESIDE * costs.copyPerByte() - pinning.perPage() / PinningCost.PAGE_BYTES;
    return saved <= 0 ? Long.MAX_VALUE : Math.max(1, (long) (pinning.fixed() / saved));
  }

  /**
   * Returns these cut-offs, with at most half of the longest message for {@code beside}. So no
   * measurement decides whether a call with a long value fits.
   */
  public CutOffs within(int longestMessage) {
    return new CutOffs(Math.min(beside, Math.max(1, longestMessage / 2)), inPlace);
  }

  /** Returns these cut-offs, replaced by those that are set. */
  public CutOffs unless(CutOffs set) {
    return new CutOffs(
        set.beside == MEASURED ? beside : set.beside,
        set.inPlace == MEASURED ? inPlace : set.inPlace);
  }
}
