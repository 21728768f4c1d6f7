package io.verbena.rdma;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A contract written by hand: one method, whose handler runs on the loop or beside it. */
interface Echo {
  MethodDescriptor<String> METHOD =
      new MethodDescriptor<>("echo", 1, "echo", true, false, true, 0, in -> in.readString(), null);

  MethodDescriptor<String> BESIDE_THE_LOOP =
      new MethodDescriptor<>(
          "echo", 2, "beside", true, false, false, 0, in -> in.readString(), null);

  ServiceDescriptor<Echo> SERVICE =
      new ServiceDescriptor<>(
          Echo.class,
          "echo",
          new Schema(
              "echo",
              List.of(
                  new Schema.Method(
                      1,
                      "echo",
                      false,
                      List.of(new Schema.Member("text", "string", false)),
                      "string",
                      List.of())),
              List.of()),
          List.of(METHOD, BESIDE_THE_LOOP),
          caller -> {
            throw new UnsupportedOperationException();
          });

  /** Serves it; every text that is echoed is told of. */
  static ServiceBinding bind(Consumer<String> executed) {
    return new ServiceBinding(
        SERVICE,
        (method, in, call) -> {
          String text = in.readString();
          call.handle(
              reply -> {
                executed.accept(text);
                reply.result().writeString(text);
              });
        });
  }

  /** Calls it. */
  static CompletableFuture<String> call(Session session, String text) {
    return call(session, METHOD, text);
  }

  /** Calls one of its two methods. */
  static CompletableFuture<String> call(
      Session session, MethodDescriptor<String> method, String text) {
    ServiceCaller caller = session.caller(SERVICE, CallOptions.DEFAULT);
    return caller.submit(method, out -> out.writeString(text)).toCompletableFuture();
  }
}
