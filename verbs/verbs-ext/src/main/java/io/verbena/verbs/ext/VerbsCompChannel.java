package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Extends {@link IbvCompChannel}: returns the queue of an event, within a time limit. Implemented
 * by the provider's channel class; safe for use by several threads.
 */
public interface VerbsCompChannel {
  /** Returns the extension of a channel. Throws {@link IllegalArgumentException} if it has none. */
  static VerbsCompChannel of(IbvCompChannel channel) {
    return Extensions.of(channel, VerbsCompChannel.class);
  }

  /**
   * Takes the next event. It is acknowledged already: do not call {@link IbvCQ#ackEvents} for it.
   *
   * @param timeoutNanos the longest wait, 0 for none; must not be negative
   * @return the queue that has completions and is not armed any more, or null after the time limit
   */
  @Nullable IbvCQ nextEvent(long timeoutNanos) throws IOException;
}
