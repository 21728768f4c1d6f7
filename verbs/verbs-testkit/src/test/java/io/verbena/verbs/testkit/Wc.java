package io.verbena.verbs.testkit;

import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.WcFlags;
import io.verbena.verbs.ext.WcStatus;

/** A completion, with nothing in it that is not valid. */
public record Wc(
    long wrId,
    int status,
    int qpNumber,
    int opcode,
    int byteLength,
    int immediate,
    int invalidatedRkey,
    int flags) {

  public static Wc read(CompletionBlock block, int index) {
    long wrId = block.wrId(index);
    int status = block.status(index);
    int qp = block.qpNumber(index);
    if (status != WcStatus.SUCCESS) {
      return new Wc(wrId, status, qp, -1, -1, 0, 0, 0);
    }
    int flags = block.flags(index);
    return new Wc(
        wrId,
        status,
        qp,
        block.opcode(index),
        block.byteLength(index),
        (flags & WcFlags.WITH_IMM) != 0 ? block.immediate(index) : 0,
        (flags & WcFlags.WITH_INV) != 0 ? block.invalidatedRkey(index) : 0,
        flags);
  }

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }
}
