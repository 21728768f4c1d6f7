package io.verbena.rdma;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A contract written by hand: its one method returns the array that it is given. */
interface Bytes {
  MethodDescriptor<byte[]> METHOD =
      new MethodDescriptor<>("bytes", 1, "same", true, false, true, 0, in -> in.readBytes(), null);

  ServiceDescriptor<Bytes> SERVICE =
      new ServiceDescriptor<>(
          Bytes.class,
          "bytes",
          new Schema(
              "bytes",
              List.of(
                  new Schema.Method(
                      1,
                      "same",
                      false,
                      List.of(new Schema.Member("value", "bytes", false)),
                      "bytes",
                      List.of())),
              List.of()),
          List.of(METHOD),
          caller -> {
            throw new UnsupportedOperationException();
          });

  /** Serves it. */
  static ServiceBinding bind() {
    return new ServiceBinding(
        SERVICE,
        (method, in, call) -> {
          byte[] value = in.readBytes();
          call.handle(reply -> reply.result().writeBytes(value));
        });
  }

  /** Calls it. */
  static CompletableFuture<byte[]> call(Session session, byte[] value) {
    return session
        .caller(SERVICE, CallOptions.DEFAULT)
        .submit(METHOD, out -> out.writeBytes(value))
        .toCompletableFuture();
  }
}
