package io.verbena.api.stub;

/** A call that has arrived and is being dispatched. */
public interface IncomingCall {
  /**
   * Runs the handler: here and now for a non-blocking method, else on the session's executor.
   * Called exactly once, after every argument has been read.
   */
  void handle(Handler handler);
}
