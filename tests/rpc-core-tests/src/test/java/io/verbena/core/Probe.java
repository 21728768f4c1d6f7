package io.verbena.core;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.api.stub.Dispatcher;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A contract written by hand, so that sessions are tested without the code generator. */
public interface Probe {
  /** The exception that {@code fail} declares. */
  final class Rejected extends Exception {
    private static final long serialVersionUID = 1L;

    public Rejected(String message) {
      super(message);
    }
  }

  String echo(String text);

  String slow(String text) throws Exception;

  void tell(String text);

  String fail(String text) throws Rejected;

  MethodDescriptor<String> ECHO = method(1, "echo", false, true);
  MethodDescriptor<String> SLOW = method(2, "slow", false, false);
  MethodDescriptor<String> TELL = method(3, "tell", true, false);
  MethodDescriptor<String> FAIL =
      new MethodDescriptor<>(
          "probe",
          4,
          "fail",
          false,
          false,
          false,
          0,
          in -> in.readString(),
          (index, in) -> index == 0 ? new Rejected(in.readString()) : null);
  MethodDescriptor<String> MISSING = method(99, "missing", false, false);

  private static MethodDescriptor<String> method(
      int id, String name, boolean oneway, boolean nonBlocking) {
    return new MethodDescriptor<>(
        "probe", id, name, true, oneway, nonBlocking, 0, in -> in.readString(), null);
  }

  static ServiceDescriptor<Probe> service(String resultType) {
    return new ServiceDescriptor<>(
        Probe.class,
        "probe",
        new Schema(
            "probe",
            List.of(
                new Schema.Method(
                    1,
                    "echo",
                    false,
                    List.of(new Schema.Member("text", "string", false)),
                    resultType,
                    List.of())),
            List.of()),
        List.of(ECHO, SLOW, TELL, FAIL),
        caller -> {
          throw new UnsupportedOperationException();
        });
  }

  static ServiceBinding bind(Probe probe) {
    Dispatcher dispatcher =
        (method, in, call) -> {
          String text = in.readString();
          switch (method.id()) {
            case 1 -> call.handle(reply -> reply.result().writeString(probe.echo(text)));
            case 2 ->
                call.handle(
                    reply -> {
                      String result = probe.slow(text);
                      reply.result().writeString(result);
                    });
            case 3 -> call.handle(reply -> probe.tell(text));
            default ->
                call.handle(
                    reply -> {
                      try {
                        String result = probe.fail(text);
                        reply.result().writeString(result);
                      } catch (Rejected e) {
                        reply.error(0, e).writeString(String.valueOf(e.getMessage()));
                      }
                    });
          }
        };
    return new ServiceBinding(service("string"), dispatcher);
  }

  /** Calls the probe at the other end of a session. */
  final class Stub {
    private final ServiceCaller caller;

    public Stub(Session session) {
      this(session, "string");
    }

    public Stub(Session session, String resultType) {
      caller = session.caller(service(resultType), CallOptions.DEFAULT);
    }

    public Stub(Session session, CallOptions options) {
      caller = session.caller(service("string"), options);
    }

    public CompletableFuture<String> submit(MethodDescriptor<String> method, String text) {
      return caller.submit(method, out -> out.writeString(text)).toCompletableFuture();
    }

    public String call(MethodDescriptor<String> method, String text) throws Exception {
      return String.valueOf(caller.call(method, out -> out.writeString(text)));
    }

    public void tell(String text) {
      caller.send(TELL, out -> out.writeString(text));
    }
  }

  /** Answers by the book; tests override what they look at. */
  class Plain implements Probe {
    @Override
    public String echo(String text) {
      return text;
    }

    @Override
    public String slow(String text) throws Exception {
      return text;
    }

    @Override
    public void tell(String text) {}

    @Override
    public String fail(String text) throws Rejected {
      throw new Rejected(text);
    }
  }

  /** Counts how often each call was executed. */
  class Counting extends Plain {
    public final Map<String, Integer> executions = new HashMap<>();

    @Override
    public String echo(String text) {
      executions.merge(text, 1, Integer::sum);
      return text;
    }

    @Override
    public String slow(String text) {
      return echo(text);
    }

    @Override
    public void tell(String text) {
      executions.merge(text, 1, Integer::sum);
    }
  }
}
