package io.verbena.rdma.wire;

import java.nio.ByteBuffer;

/**
 * The content of a Send about a target, after its {@link SendHeader}, in network order. The Send
 * takes a frame credit, like an immediate.
 *
 * <pre>
 *  0                4               8                   16
 *  +----------------+---------------+-------------------+
 *  | header         | target        | arrived           |
 *  +----------------+---------------+-------------------+
 *                   |&lt;- all ->|&lt;- only ARRIVED -->|
 *
 *  ARRIVED   writer → owner   the number of bytes that have arrived, if no immediate can carry it
 *  REVOKE    owner → writer   write no more there
 *  REVOKED   writer → owner   nothing follows: sent after all WRITEs on the same queue pair
 *  GIVE_BACK                  the field of the target holds a number of credits
 * </pre>
 */
public final class BulkNote {
  /** The length of a REVOKE or REVOKED, in bytes. */
  public static final int BYTES = SendHeader.BYTES + Integer.BYTES;

  /** The length of an ARRIVED, in bytes. */
  public static final int ARRIVED_BYTES = BYTES + Long.BYTES;

  private BulkNote() {}

  /** Writes the content after the header, at an index. */
  public static void write(ByteBuffer out, int at, int target, long arrived) {
    out.putInt(at + SendHeader.BYTES, target);
    out.putLong(at + BYTES, arrived);
  }

  /** Returns the length of a note of this kind, in bytes. */
  public static int length(byte kind) {
    return kind == SendHeader.ARRIVED ? ARRIVED_BYTES : BYTES;
  }

  /** Returns the target of a note at an index. */
  public static int target(ByteBuffer in, int at) {
    return in.getInt(at + SendHeader.BYTES);
  }

  /** Returns the number of arrived bytes in an ARRIVED at an index. */
  public static long arrived(ByteBuffer in, int at) {
    return in.getLong(at + BYTES);
  }
}
