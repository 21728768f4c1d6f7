package io.verbena.cli.calibrate;

import io.verbena.core.bulk.cost.Costs;
import io.verbena.core.bulk.cost.CutOffs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one path costs.
 *
 * @param path its name
 * @param absent why there is none; null where there is one
 * @param costs as measured
 * @param cutOffs what follows
 * @param beside calls with their value in its message and beside it, where they were asked for
 * @param inPlace calls with their value by the pool and sent from where it is, where they were
 *     asked for and the path pins
 */
public record Reading(
    String path,
    @Nullable String absent,
    Costs costs,
    CutOffs cutOffs,
    List<Trial> beside,
    List<Trial> inPlace) {
  /** The lengths that curves are drawn for. */
  public static final List<Integer> LENGTHS =
      List.of(
          4 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20,
          16 << 20);

  /**
   * A call's median time, on either side of a cut-off.
   *
   * @param bytes the value's length
   * @param belowNanos the way that is chosen below the cut-off
   * @param fromNanos the way that is chosen from there on
   */
  public record Trial(int bytes, double belowNanos, double fromNanos) {
    /** Returns what the way takes that is chosen. */
    public double chosenNanos(long cutOff) {
      return bytes < cutOff ? belowNanos : fromNanos;
    }

    /** Returns what the better way takes. */
    public double bestNanos() {
      return Math.min(belowNanos, fromNanos);
    }

    /** Returns how much longer than the better way the one takes that is chosen. */
    public double chosenToBest(long cutOff) {
      return chosenNanos(cutOff) / bestNanos();
    }
  }

  static Reading absent(String path, String why) {
    return new Reading(path, why, Costs.UNKNOWN, CutOffs.of(Costs.UNKNOWN), List.of(), List.of());
  }
}
