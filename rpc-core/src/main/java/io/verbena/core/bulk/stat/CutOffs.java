package io.verbena.core.bulk.stat;

import io.verbena.link.PinningCost;

/**
 * From which length on a value goes which way. Each way costs a fixed part and a part for each
 * byte; a way is taken from where its line is the lower one, as UCX chooses among protocols
 * (ucp/proto/proto_select.h) and MPI libraries between eager and rendezvous:
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
 * <p>p and q are those of warm pages. Only what is sent has a choice, and its user has written it,
 * so its pages are there. The user's landings are always pinned: where their pages are not there
 * yet they have to be made either way, by pinning them or by the copy that would fill them.
 *
 * @param beside from so many bytes on a value of a call travels beside its message
 * @param inPlace from so many bytes on memory of the user's is pinned, rather than copied into
 *     pooled memory that is pinned already
 */
public record CutOffs(long beside, long inPlace) {
  /** Stands for what is measured, where a cut-off could be set. */
  public static final long MEASURED = 0;

  /** Where nothing was measured: what TCP on loopback moves in two round trips. */
  public static final long BESIDE_UNMEASURED = 256L << 10;

  /** Below that, what a transfer itself costs both ends outweighs all copies. */
  public static final long LEAST_BESIDE = 16L << 10;

  /** Beyond that, a message's frames keep small calls waiting, whatever a round trip costs. */
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
    PinningCost pinning = costs.pinning().warm();
    if (pinning.equals(PinningCost.NONE)) {
      return 1;
    }
    double saved = COPIES_BESIDE * costs.copyPerByte() - pinning.perPage() / PinningCost.PAGE_BYTES;
    return saved <= 0 ? Long.MAX_VALUE : Math.max(1, (long) (pinning.fixed() / saved));
  }

  /**
   * Returns these, with the half of the longest message as the most that a value has to be long to
   * travel beside its own: whether a call with a long value fits does not hang on what was
   * measured.
   */
  public CutOffs within(int longestMessage) {
    return new CutOffs(Math.min(beside, Math.max(1, longestMessage / 2)), inPlace);
  }

  /** Returns these, but for those that others set. */
  public CutOffs unless(CutOffs set) {
    return new CutOffs(
        set.beside == MEASURED ? beside : set.beside,
        set.inPlace == MEASURED ? inPlace : set.inPlace);
  }
}
