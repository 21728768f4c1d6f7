package io.verbena.rdma.wire;

/**
 * The 32 bits of an immediate: they name a target, and report how much has arrived there.
 *
 * <pre>
 *  31              24 23                    12 11                      0
 *  +-----------------+------------------------+------------------------+
 *  | type            | slot                   | epoch                  |
 *  +-----------------+------------------------+------------------------+
 *
 *  type   1 to 255: type - 1 whole units were written without immediate since the last one; 0 is none
 *  slot   the index among the receiver's open targets
 *  epoch  counts the targets of the slot, and wraps: a late immediate does not match the next one
 * </pre>
 *
 * <p>Together with the length of its WRITE, which the completion contains, it gives the number of
 * bytes that have arrived. The bits protect only the bookkeeping. Keys and fences keep late bytes
 * out of memory that is used again.
 */
public final class Immediate {
  /** The largest number of units that can have been written since the last immediate. */
  public static final int MOST_UNITS = 254;

  /** The largest number of open targets of one end of a link. */
  public static final int MOST_SLOTS = 1 << 12;

  /** The number of epochs of a slot; then they begin again. */
  public static final int EPOCHS = 1 << 12;

  private static final int TYPE_SHIFT = 24;
  private static final int LANDING_MASK = (1 << TYPE_SHIFT) - 1;

  private Immediate() {}

  /** Returns the lower 24 bits, the name of a target at both ends. */
  public static int target(int slot, int epoch) {
    return (slot & (MOST_SLOTS - 1)) << 12 | (epoch & (EPOCHS - 1));
  }

  /**
   * Returns an immediate.
   *
   * @param units units written since the last one, without this WRITE; 0 to {@link #MOST_UNITS}
   */
  public static int of(int units, int target) {
    if (units < 0 || units > MOST_UNITS) {
      throw new IllegalArgumentException(
          units + " units; an immediate tells of 0 to " + MOST_UNITS);
    }
    return (units + 1) << TYPE_SHIFT | target;
  }

  /** Returns the units of an immediate; -1 if it is not one of this format. */
  public static int units(int immediate) {
    return (immediate >>> TYPE_SHIFT) - 1;
  }

  public static int target(int immediate) {
    return immediate & LANDING_MASK;
  }

  public static int slot(int target) {
    return target >>> 12;
  }

  public static int epoch(int target) {
    return target & (EPOCHS - 1);
  }
}
