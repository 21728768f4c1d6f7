package io.verbena.core.call;

import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.contract.OwnService;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** One handler, with the interceptors around it, for JDK Flight Recorder. */
@Name("verbena.ServerCall")
@Label("Server Call")
@Category("Verbena")
@Description("A handler, with the interceptors around it")
@StackTrace(false)
@Threshold("10 ms")
final class ServerCallEvent extends Event {
  /** Asked instead of a new one, so that a call that is not recorded makes none. */
  private static final ServerCallEvent PROBE = new ServerCallEvent();

  @Label("Method")
  String method = "";

  @Label("Status")
  @Description("OK, DECLARED for an exception of the contract, or an RpcStatus")
  String status = ClientCallEvent.OK;

  @Label("Path")
  @Description("The link that carried the session's calls at the end")
  String path = "";

  @Label("Peer")
  String peer = "";

  /**
   * Returns one that begins now; null while none is recorded, and for what a stream asks, which
   * waits until there are items.
   */
  static @Nullable ServerCallEvent begun(MethodDescriptor<?> called) {
    if (!PROBE.isEnabled() || OwnService.has(called)) {
      return null;
    }
    ServerCallEvent event = new ServerCallEvent();
    event.begin();
    return event;
  }

  /** Records the call, if it took long enough. */
  void ended(MethodDescriptor<?> called, Session session) {
    end();
    if (shouldCommit()) {
      method = called.fullName();
      path = session.path().link();
      peer = session.peer().address();
      commit();
    }
  }
}
