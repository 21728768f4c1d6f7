package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvQP;
import java.io.IOException;

/**
 * What {@link IbvQP} cannot say: a queue pair's data path without allocation, and its attributes.
 * Implemented by the provider's QP class.
 *
 * <p>Safe for use by several threads, though each block belongs to one; use after {@code
 * destroyQP()} fails with EBADF.
 */
public interface VerbsQp {
  /** The extension of a QP; fails with {@link IllegalArgumentException} where it has none. */
  static VerbsQp of(IbvQP qp) {
    return Extensions.of(qp, VerbsQp.class);
  }

  /**
   * Posts requests of a block, in order. A full queue is an answer, not an exception.
   *
   * @param first index of the first request
   * @param count how many, at least 1
   * @return how many were posted: fewer than {@code count}, perhaps 0, when the send queue is full.
   *     A slot is free again when a signalled completion of it or of a later request was polled.
   * @throws VerbsException when a request can never be posted (EINVAL: wrong state, opcode, too
   *     many SGEs, inline too long); those before it in the block may have been posted
   */
  int postSend(SendBlock block, int first, int count) throws IOException;

  /** The same for receives. Posting is allowed from INIT on; in ERR they are flushed. */
  int postReceive(ReceiveBlock block, int first, int count) throws IOException;

  /**
   * Changes what the current state allows: to ERR always; in RTS the RNR timer and access flags.
   * Connecting and disconnecting make the other steps.
   */
  void modify(QpChange change) throws IOException;

  /** Asks the device; unlike {@link IbvQP#getState()} never stale. */
  QpAttributes query() throws IOException;
}
