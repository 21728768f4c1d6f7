package io.verbena.core.call;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.Session;
import java.util.concurrent.CancellationException;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** An event of JDK Flight Recorder for one attempt at a call, from encoding to its end. */
@Name("verbena.ClientCall")
@Label("Client Call")
@Category("Verbena")
@Description("An attempt at a call, at its caller")
@StackTrace(false)
@Threshold("10 ms")
final class ClientCallEvent extends Event {
  static final String OK = "OK";
  static final String DECLARED = "DECLARED";

  @Label("Method")
  String method = "";

  @Label("Status")
  @Description("OK, DECLARED for an exception of the contract, or an RpcStatus")
  String status = "";

  @Label("Execution")
  @Description("What is certain about the handler")
  String execution = "";

  @Label("Path")
  @Description("The link that carried the session's calls at the end")
  String path = "";

  @Label("Peer")
  String peer = "";

  /** Records a call when it has ended, if it took long enough to be recorded. */
  static void follow(PendingCall<?> call, Session session) {
    ClientCallEvent event = new ClientCallEvent();
    event.begin();
    call.whenComplete(
        (value, failure) -> {
          event.end();
          if (event.shouldCommit()) {
            event.method = call.method().fullName();
            event.path = session.path().link();
            event.peer = session.peer().address();
            event.ended(failure);
            event.commit();
          }
        });
  }

  private void ended(@Nullable Throwable failure) {
    switch (failure) {
      case null -> ended(OK, Execution.EXECUTED);
      case RpcException told -> ended(told.status().name(), told.execution());
      case CancellationException _ -> ended("CANCELLED", Execution.UNKNOWN);
      default -> ended(DECLARED, Execution.EXECUTED);
    }
  }

  private void ended(String status, Execution execution) {
    this.status = status;
    this.execution = execution.name();
  }
}
