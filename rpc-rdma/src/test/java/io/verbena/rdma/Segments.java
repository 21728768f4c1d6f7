package io.verbena.rdma;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A contract written by hand: its one method returns the segment that it is given. */
interface Segments {
  MethodDescriptor<MemorySegment> METHOD =
      new MethodDescriptor<>(
          "segments", 1, "same", true, false, true, 0, in -> in.readSegment(), null);

  ServiceDescriptor<Segments> SERVICE =
      new ServiceDescriptor<>(
          Segments.class,
          "segments",
          new Schema(
              "segments",
              List.of(
                  new Schema.Method(
                      1,
                      "same",
                      false,
                      List.of(new Schema.Member("value", "segment", false)),
                      "segment",
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
          MemorySegment value = in.readSegment();
          call.handle(reply -> reply.result().writeSegment(value));
        });
  }

  /** Calls it. */
  static CompletableFuture<MemorySegment> call(Session session, MemorySegment value) {
    return session
        .caller(SERVICE, CallOptions.DEFAULT)
        .submit(METHOD, out -> out.writeSegment(value))
        .toCompletableFuture();
  }
}
