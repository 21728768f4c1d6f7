package io.verbena.core;

import io.verbena.api.CallContext;
import io.verbena.api.stub.Handler;

/** A call whose handler comes after its dispatcher has returned. See {@link CarriedCalls#late}. */
public interface LateCall extends CallContext {
  /**
   * Runs a handler on the session's loop, which answers the call. A call that was cancelled must be
   * answered, too. It is called exactly once, by any thread.
   */
  void answer(Handler handler);
}
