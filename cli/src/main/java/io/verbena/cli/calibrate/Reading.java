package io.verbena.cli.calibrate;

import io.verbena.core.bulk.Costs;
import io.verbena.core.bulk.CutOffs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one path costs.
 *
 * @param path its name
 * @param absent why there is none; null where there is one
 * @param costs as measured
 * @param cutOffs what follows
 * @param trials calls made either way, where they were asked for
 */
public record Reading(
    String path, @Nullable String absent, Costs costs, CutOffs cutOffs, List<Trial> trials) {
  /** The lengths that curves are drawn for. */
  static final List<Integer> LENGTHS =
      List.of(
          4 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20,
          16 << 20);

  /**
   * A call's median time, with its value in its message and beside it.
   *
   * @param bytes the value's length
   */
  public record Trial(int bytes, double inMessageNanos, double besideNanos) {
    /** Returns what the way takes that is chosen. */
    public double chosenNanos(CutOffs cutOffs) {
      return bytes < cutOffs.beside() ? inMessageNanos : besideNanos;
    }

    /** Returns what the better way takes. */
    public double bestNanos() {
      return Math.min(inMessageNanos, besideNanos);
    }

    /** Returns how much longer than the better way the one takes that is chosen. */
    public double chosenToBest(CutOffs cutOffs) {
      return chosenNanos(cutOffs) / bestNanos();
    }
  }

  static Reading absent(String path, String why) {
    return new Reading(path, why, Costs.UNKNOWN, CutOffs.of(Costs.UNKNOWN), List.of());
  }
}
