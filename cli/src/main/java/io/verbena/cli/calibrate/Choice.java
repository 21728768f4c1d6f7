package io.verbena.cli.calibrate;

import io.verbena.core.bulk.cost.Costs;
import io.verbena.core.bulk.cost.CutOffs;
import org.jspecify.annotations.Nullable;

/**
 * Which way a value of a length goes, and why, where the formula says that another is faster.
 *
 * @param way in words
 * @param why null where it is the fastest
 */
record Choice(String way, @Nullable String why) {
  private static final String IN_MESSAGE = "in message";
  private static final String POOLED = "pooled";
  private static final String IN_PLACE = "in place";

  static Choice of(Costs costs, CutOffs cutOffs, int bytes) {
    double inMessage = CutOffs.inMessageNanos(costs, bytes);
    double pooled = CutOffs.pooledNanos(costs, bytes);
    double inPlace = CutOffs.inPlaceNanos(costs, costs.pinning().warm(), bytes);
    CutOffs measured = CutOffs.of(costs);
    if (bytes < cutOffs.beside()) {
      return inMessage <= Math.min(pooled, inPlace)
          ? new Choice(IN_MESSAGE, null)
          : new Choice(IN_MESSAGE, whyInMessage(cutOffs, measured, pooled < inMessage));
    }
    boolean byPool = bytes < cutOffs.inPlace();
    String way = byPool ? POOLED : IN_PLACE;
    double chosen = byPool ? pooled : inPlace;
    if (chosen <= Math.min(inMessage, byPool ? inPlace : pooled)) {
      return new Choice(way, null);
    }
    return new Choice(way, whyBeside(cutOffs, measured, inMessage < chosen));
  }

  private static String whyInMessage(CutOffs cutOffs, CutOffs measured, boolean pooledIsFaster) {
    if (cutOffs.beside() != measured.beside()) {
      return "partCutOffBytes is set";
    }
    return pooledIsFaster
        ? "below 16 KiB a transfer's own work, which the formula leaves out, outweighs all copies"
        : "only memory outside the heap can be sent in place; for arrays this is the faster way";
  }

  private static String whyBeside(CutOffs cutOffs, CutOffs measured, boolean inMessageIsFaster) {
    if (inMessageIsFaster) {
      return cutOffs.beside() == measured.beside()
          ? "a longer message would keep small calls waiting, whatever it saves itself"
          : "partCutOffBytes is set";
    }
    return cutOffs.inPlace() == measured.inPlace()
        ? "the two are within a page's cost of each other"
        : "pinCutOffBytes is set";
  }
}
