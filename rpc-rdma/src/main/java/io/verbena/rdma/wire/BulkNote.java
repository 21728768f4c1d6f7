package io.verbena.rdma.wire;

import java.nio.ByteBuffer;

/**
 * What a Send about a target says behind its {@link SendHeader}, in network order. It takes a frame
 * credit, like an immediate.
 *
 * <pre>
 *  0                4               8                   16
 *  +----------------+---------------+-------------------+
 *  | header         | target        | arrived           |
 *  +----------------+---------------+-------------------+
 *                   |&lt;- all ->|&lt;- only ARRIVED -->|
 *
 *  ARRIVED   writer → owner   the target's first so many bytes are there; where no immediate can say so
 *  REVOKE    owner → writer   write no more there
 *  REVOKED   writer → owner   nothing comes any more: sent after all WRITEs on the same queue pair
 *  GIVE_BACK                  the target's place holds a number of credits
 * </pre>
 */
public final class BulkNote {
  /** Bytes of a REVOKE or REVOKED. */
  public static final int BYTES = SendHeader.BYTES + Integer.BYTES;

  /** Bytes of an ARRIVED. */
  public static final int ARRIVED_BYTES = BYTES + Long.BYTES;

  private BulkNote() {}

  /** Writes what follows the header at an index. */
  public static void write(ByteBuffer out, int at, int target, long arrived) {
    out.putInt(at + SendHeader.BYTES, target);
    out.putLong(at + BYTES, arrived);
  }

  /** Returns how long a note of a kind is. */
  public static int length(byte kind) {
    return kind == SendHeader.ARRIVED ? ARRIVED_BYTES : BYTES;
  }

  /** Returns the target that a note at an index is about. */
  public static int target(ByteBuffer in, int at) {
    return in.getInt(at + SendHeader.BYTES);
  }

  /** Returns how much has arrived, says an ARRIVED at an index. */
  public static long arrived(ByteBuffer in, int at) {
    return in.getLong(at + BYTES);
  }
}
