package io.verbena.core.call;

import io.verbena.api.stub.Handler;
import io.verbena.api.stub.Reply;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a call whose arguments count for memory of the session's until it has ended, and
 * may have yet to be read.
 */
final class HeldArguments implements Handler {
  private final Runnable free;
  private boolean unread;
  private @Nullable Handler handler;

  /**
   * Arguments that the dispatcher has not read.
   *
   * @param free gives their memory back
   * @param unread whether they are read beside the loop
   */
  HeldArguments(Runnable free, boolean unread) {
    this.free = free;
    this.unread = unread;
  }

  /** The dispatcher has read them, and passes what is to run; returns whether that may be now. */
  boolean dispatched(Handler runs) {
    handler = runs;
    return !unread;
  }

  void wasRead() {
    unread = false;
  }

  void free() {
    free.run();
  }

  boolean isDispatched() {
    return !unread && handler != null;
  }

  /** Returns what the dispatcher has passed; null before. */
  @Nullable Handler handler() {
    return handler;
  }

  @Override
  public void run(Reply reply) throws Exception {
    Objects.requireNonNull(handler).run(reply);
  }
}
