package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvQP;
import java.io.IOException;

/**
 * Extends {@link IbvQP}: the data path of a queue pair without allocation, and its attributes.
 * Implemented by the provider's QP class.
 *
 * <p>Safe for use by several threads, though each block belongs to one. Use after {@code
 * destroyQP()} fails with EBADF.
 */
public interface VerbsQp {
  /** Returns the extension of a QP. Throws {@link IllegalArgumentException} if it has none. */
  static VerbsQp of(IbvQP qp) {
    return Extensions.of(qp, VerbsQp.class);
  }

  /**
   * Posts requests of a block, in order. A full queue is a result, not an exception.
   *
   * @param first the index of the first request
   * @param count the number of requests, at least 1
   * @return the number of posted requests: fewer than {@code count}, perhaps 0, if the send queue
   *     is full. A slot is free again when a signalled completion of it or of a later request was
   *     polled
   * @throws VerbsException if a request can never be posted (EINVAL: wrong state or opcode, too
   *     many SGEs, inline too long); requests before it in the block may have been posted
   */
  int postSend(SendBlock block, int first, int count) throws IOException;

  /**
   * Posts receives in the same way. This is allowed from INIT on; in ERR the receives are flushed.
   */
  int postReceive(ReceiveBlock block, int first, int count) throws IOException;

  /**
   * Changes attributes, as the present state allows: to ERR always, and in RTS the RNR timer and
   * access flags. Connecting and disconnecting make the other transitions.
   */
  void modify(QpChange change) throws IOException;

  /**
   * Returns the attributes as the device has them now. Unlike {@link IbvQP#getState()} they are
   * never stale.
   */
  QpAttributes query() throws IOException;
}
