package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What {@link IbvCompChannel} cannot say: which queue an event is for, within a time limit.
 * Implemented by the provider's channel class; safe for use by several threads.
 */
public interface VerbsCompChannel {
  /** The extension of a channel; fails with {@link IllegalArgumentException} where it has none. */
  static VerbsCompChannel of(IbvCompChannel channel) {
    return Extensions.of(channel, VerbsCompChannel.class);
  }

  /**
   * Takes the next event, already acknowledged: do not call {@link IbvCQ#ackEvents} for it.
   *
   * @param timeoutNanos how long to wait, 0 for not at all; must not be negative
   * @return the queue that has completions and is no longer armed, or null when the time is over
   */
  @Nullable IbvCQ nextEvent(long timeoutNanos) throws IOException;
}
