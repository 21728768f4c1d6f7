package io.verbena.codegen;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Reply;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Joins a generated client to a generated dispatcher by the real codec and nothing else: no
 * session, no link, no thread. What crosses may be tampered with on its way.
 */
final class Wired implements ServiceCaller {
  static final int MAX_BYTES = 1 << 20;
  static final int MAX_DEPTH = 32;

  private final ServiceBinding server;
  private UnaryOperator<byte[]> request = UnaryOperator.identity();
  private UnaryOperator<byte[]> response = UnaryOperator.identity();

  Wired(ServiceBinding server) {
    this.server = server;
  }

  /** Changes the bytes of each request, and of each response. */
  Wired tamper(UnaryOperator<byte[]> request, UnaryOperator<byte[]> response) {
    this.request = request;
    this.response = response;
    return this;
  }

  @Override
  public <R> @Nullable R call(MethodDescriptor<R> method, ArgumentWriter arguments)
      throws Exception {
    Answer answer = exchange(method, arguments);
    byte[] bytes = response.apply(answer.bytes());
    WireDecoder in = decoder(bytes);
    if (answer.error >= 0) {
      throw Objects.requireNonNull(
          Objects.requireNonNull(method.errors(), "no errors declared").read(answer.error, in));
    }
    return method.result().read(in);
  }

  @Override
  public <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments) {
    CompletableFuture<R> future = new CompletableFuture<>();
    try {
      future.complete(call(method, arguments));
    } catch (Exception e) {
      future.completeExceptionally(e);
    }
    return future;
  }

  @Override
  public void send(MethodDescriptor<?> method, ArgumentWriter arguments) {
    try {
      exchange(method, arguments);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private Answer exchange(MethodDescriptor<?> method, ArgumentWriter arguments) throws Exception {
    WireEncoder out = encoder();
    arguments.write(out);
    byte[] bytes = request.apply(bytes(out));
    Answer answer = new Answer();
    MethodDescriptor<?> known =
        server.service().methods().stream()
            .filter(m -> m.id() == method.id())
            .findFirst()
            .orElseThrow();
    IncomingCall call =
        handler -> {
          try {
            handler.run(answer);
          } catch (RuntimeException e) {
            throw e;
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        };
    server.dispatcher().dispatch(known, decoder(bytes), call);
    return answer;
  }

  /** The destination of a handler's bytes. */
  @Override
  public Received call(MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    throw new UnsupportedOperationException("no session carries objects here");
  }

  @Override
  public CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    throw new UnsupportedOperationException("no session carries objects here");
  }

  private static final class Answer implements Reply {
    @Override
    public void received(Received answer) {
      throw new UnsupportedOperationException("no session carries objects here");
    }

    private final WireEncoder out = encoder();
    private int error = -1;

    @Override
    public WireOut result() {
      return out;
    }

    @Override
    public WireOut error(int index, Exception thrown) {
      error = index;
      return out;
    }

    byte[] bytes() {
      return Wired.bytes(out);
    }
  }

  private static WireEncoder encoder() {
    WireEncoder out = new WireEncoder();
    out.start(ByteBuffer.allocateDirect(64), 0, MAX_BYTES, MAX_DEPTH);
    return out;
  }

  private static WireDecoder decoder(byte[] bytes) {
    WireDecoder in = new WireDecoder();
    in.start(ByteBuffer.wrap(bytes), 0, bytes.length, MAX_DEPTH);
    return in;
  }

  private static byte[] bytes(WireEncoder out) {
    byte[] bytes = new byte[out.length()];
    out.buffer().get(0, bytes);
    return bytes;
  }
}
