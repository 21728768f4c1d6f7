package io.verbena.api.stub;

import io.verbena.api.wire.WireIn;

/** Decodes a call's arguments and hands the call to its handler. */
@FunctionalInterface
public interface Dispatcher {
  /**
   * Reads the arguments of one call and passes the handler to {@link IncomingCall#handle}. It is
   * called on the event loop. If it throws, the call is refused as malformed.
   *
   * @param method one of the service's own methods
   * @param in the arguments; valid only until this method returns
   */
  void dispatch(MethodDescriptor<?> method, WireIn in, IncomingCall call);
}
