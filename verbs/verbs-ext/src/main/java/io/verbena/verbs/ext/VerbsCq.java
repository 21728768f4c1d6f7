package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvCQ;
import java.io.IOException;

/**
 * Extends {@link IbvCQ}: polls and arms a completion queue without allocation. Implemented by the
 * provider's CQ class.
 *
 * <p>Safe for use by several threads; use after {@code destroyCQ()} fails with EBADF.
 */
public interface VerbsCq {
  /** Returns the extension of a CQ. Throws {@link IllegalArgumentException} if it has none. */
  static VerbsCq of(IbvCQ cq) {
    return Extensions.of(cq, VerbsCq.class);
  }

  /**
   * Takes completions into the block, from its index 0.
   *
   * @return the number of completions, from 0 to the block's capacity; also {@link
   *     CompletionBlock#count()}
   */
  int poll(CompletionBlock block) throws IOException;

  /**
   * Asks for one event on the queue's channel for the next completion. Poll once more after arming,
   * because a completion before it causes no event.
   *
   * @param solicitedOnly only for solicited receives and for errors
   */
  void arm(boolean solicitedOnly) throws IOException;
}
