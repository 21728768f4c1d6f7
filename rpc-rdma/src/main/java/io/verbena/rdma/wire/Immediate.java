package io.verbena.rdma.wire;

/**
 * What the 32 bits of an immediate say: which target it is about, and how much has arrived there.
 *
 * <pre>
 *  31              24 23                    12 11                      0
 *  +-----------------+------------------------+------------------------+
 *  | type            | slot                   | epoch                  |
 *  +-----------------+------------------------+------------------------+
 *
 *  type   1 to 255: type - 1 whole units were written without immediate since the last one; 0 is none
 *  slot   which of the targets that the receiver has open
 *  epoch  counts the targets that the slot has had, and wraps: what is late is not the next one's
 * </pre>
 *
 * <p>Together with the length of the WRITE that brought it, which the completion tells, it says how
 * many bytes have arrived. The bits protect bookkeeping only: that nothing lands in memory that is
 * used again is the business of keys and fences.
 */
public final class Immediate {
  /** The most units that can have been written since the last immediate. */
  public static final int MOST_UNITS = 254;

  /** How many targets one end can have open on one link. */
  public static final int MOST_SLOTS = 1 << 12;

  /** After so many targets a slot's epochs begin again. */
  public static final int EPOCHS = 1 << 12;

  private static final int TYPE_SHIFT = 24;
  private static final int LANDING_MASK = (1 << TYPE_SHIFT) - 1;

  private Immediate() {}

  /** Returns the lower 24 bits, by which a target is known to both ends. */
  public static int target(int slot, int epoch) {
    return (slot & (MOST_SLOTS - 1)) << 12 | (epoch & (EPOCHS - 1));
  }

  /**
   * Returns an immediate.
   *
   * @param units written since the last one, besides this WRITE; 0 to {@link #MOST_UNITS}
   */
  public static int of(int units, int target) {
    if (units < 0 || units > MOST_UNITS) {
      throw new IllegalArgumentException(
          units + " units; an immediate tells of 0 to " + MOST_UNITS);
    }
    return (units + 1) << TYPE_SHIFT | target;
  }

  /** Returns the units that it tells of; -1 where it is no such immediate. */
  public static int units(int immediate) {
    return (immediate >>> TYPE_SHIFT) - 1;
  }

  /** Returns which target it is about. */
  public static int target(int immediate) {
    return immediate & LANDING_MASK;
  }

  /** Returns the slot of a target. */
  public static int slot(int target) {
    return target >>> 12;
  }

  /** Returns the epoch of a target. */
  public static int epoch(int target) {
    return target & (EPOCHS - 1);
  }
}
