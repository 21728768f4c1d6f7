package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.Layouts;
import org.jspecify.annotations.Nullable;

/** A slot of a completion queue. Reused; guarded by the fabric's lock. */
final class Completion {
  /** The value of fields that the specification leaves undefined on errors, to detect their use. */
  private static final int UNDEFINED = 0xdeadbeef;

  @Nullable FabricQp qp;
  long wrId;
  int status;
  int opcode;
  int byteLength;
  int immediate;
  int flags;
  boolean solicited;

  /** The slot of the send queue that a poll frees, or -1. */
  long sendIndex;

  void store(long wc, int qpNumber) {
    boolean good = status == 0;
    FabricMemory.putLong(wc, wrId);
    FabricMemory.putInt(wc + Layouts.WC_STATUS, status);
    FabricMemory.putInt(wc + Layouts.WC_OPCODE, good ? opcode : UNDEFINED);
    FabricMemory.putInt(wc + Layouts.WC_VENDOR_ERROR, 0);
    FabricMemory.putInt(wc + Layouts.WC_BYTE_LENGTH, good ? byteLength : UNDEFINED);
    FabricMemory.putInt(wc + Layouts.WC_IMMEDIATE, good ? immediate : UNDEFINED);
    FabricMemory.putInt(wc + Layouts.WC_QP_NUMBER, qpNumber);
    FabricMemory.putInt(wc + Layouts.WC_SOURCE_QP, UNDEFINED);
    FabricMemory.putInt(wc + Layouts.WC_FLAGS, good ? flags : UNDEFINED);
  }
}
