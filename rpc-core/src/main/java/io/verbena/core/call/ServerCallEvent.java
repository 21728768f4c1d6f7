package io.verbena.core.call;

import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** An event of JDK Flight Recorder for one handler with its interceptors. */
@Name("verbena.ServerCall")
@Label("Server Call")
@Category("Verbena")
@Description("A handler, with the interceptors around it")
@StackTrace(false)
@Threshold("10 ms")
final class ServerCallEvent extends Event {
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

  /** Records the call, if it took long enough to be recorded. */
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
