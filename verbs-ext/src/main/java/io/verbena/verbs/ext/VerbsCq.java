package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvCQ;
import java.io.IOException;

/**
 * What {@link IbvCQ} cannot say: polling and arming a completion queue without allocation.
 * Implemented by the provider's CQ class.
 *
 * <p>Safe for use by several threads; use after {@code destroyCQ()} fails with EBADF.
 */
public interface VerbsCq {
  /** The extension of a CQ; fails with {@link IllegalArgumentException} where it has none. */
  static VerbsCq of(IbvCQ cq) {
    return Extensions.of(cq, VerbsCq.class);
  }

  /**
   * Takes completions into the block, from its index 0.
   *
   * @return how many, from 0 to the block's capacity; also {@link CompletionBlock#count()}
   */
  int poll(CompletionBlock block) throws IOException;

  /**
   * Asks for one event on the queue's channel for the next completion that enters it. Poll once
   * more after arming, or a completion that came between is missed.
   *
   * @param solicitedOnly only for solicited receives and for errors
   */
  void arm(boolean solicitedOnly) throws IOException;
}
