package io.verbena.bench.goal;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.CallStreamObserver;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.verbena.core.PathPolicy;
import io.verbena.grpc.VerbenaChannelBuilder;
import io.verbena.grpc.VerbenaServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The same streams by grpc-java with direct executors: on Netty with windows of 4 MiB, or over
 * sessions on TCP.
 */
final class GrpcFeed {
  private static final int WINDOW = 4 << 20;
  private static final MethodDescriptor<byte[], byte[]> ITEMS =
      method("items", MethodType.SERVER_STREAMING);
  private static final MethodDescriptor<byte[], byte[]> COUNT =
      method("count", MethodType.CLIENT_STREAMING);
  private static final MethodDescriptor<byte[], byte[]> ECHO =
      method("echo", MethodType.BIDI_STREAMING);

  private GrpcFeed() {}

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
    return MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
        .setType(type)
        .setFullMethodName("feed/" + name)
        .build();
  }

  static Server serve(int count) throws IOException {
    return serve(
        count,
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .flowControlWindow(WINDOW));
  }

  static Server serveSessions(int count) throws IOException {
    return serve(
        count,
        VerbenaServerBuilder.forAddress("127.0.0.1:0")
            .engine(engine -> engine.path(PathPolicy.TCP_ONLY)));
  }

  private static Server serve(int count, ServerBuilder<?> builder) throws IOException {
    return builder
        .directExecutor()
        .addService(
            ServerServiceDefinition.builder("feed")
                .addMethod(
                    ITEMS,
                    ServerCalls.asyncServerStreamingCall(
                        (request, to) -> send(count, (ServerCallStreamObserver<byte[]>) to)))
                .addMethod(COUNT, ServerCalls.asyncClientStreamingCall(GrpcFeed::answerer))
                .addMethod(ECHO, ServerCalls.asyncBidiStreamingCall(Echo::new))
                .build())
        .build()
        .start();
  }

  static ManagedChannel connect(int port) {
    return NettyChannelBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
        .usePlaintext()
        .directExecutor()
        .flowControlWindow(WINDOW)
        .build();
  }

  static ManagedChannel connectSession(int port) {
    return VerbenaChannelBuilder.forAddress("127.0.0.1", port)
        .usePlaintext()
        .engine(engine -> engine.path(PathPolicy.TCP_ONLY))
        .directExecutor()
        .build();
  }

  private static void send(int count, CallStreamObserver<byte[]> to) {
    to.setOnReadyHandler(
        new Runnable() {
          private int left = count;
          private boolean over;

          @Override
          public void run() {
            while (left > 0 && to.isReady()) {
              left--;
              to.onNext(new byte[FeedItems.BYTES]);
            }
            if (left == 0 && !over) {
              over = true;
              to.onCompleted();
            }
          }
        });
  }

  private static StreamObserver<byte[]> answerer(StreamObserver<byte[]> to) {
    return new Counter(new CompletableFuture<>()) {
      @Override
      public void onCompleted() {
        to.onNext(new byte[1]);
        to.onCompleted();
      }
    };
  }

  private static class Counter implements StreamObserver<byte[]> {
    private final CompletableFuture<Integer> counted;
    private int count;

    Counter(CompletableFuture<Integer> counted) {
      this.counted = counted;
    }

    @Override
    public void onNext(byte[] item) {
      count++;
    }

    @Override
    public void onError(Throwable failure) {
      counted.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      counted.complete(count);
    }
  }

  private record Echo(StreamObserver<byte[]> to) implements StreamObserver<byte[]> {
    @Override
    public void onNext(byte[] item) {
      to.onNext(item);
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {
      to.onCompleted();
    }
  }

  /**
   * Sends one item after the other, each when the one before it has come back in the same stream.
   *
   * @return the round trips in microseconds
   */
  static CompletableFuture<double[]> pingPong(ManagedChannel channel, int count) {
    CompletableFuture<double[]> done = new CompletableFuture<>();
    double[] micros = new double[count];
    byte[] item = new byte[FeedItems.BYTES];
    ClientCalls.asyncBidiStreamingCall(
        channel.newCall(ECHO, CallOptions.DEFAULT),
        new ClientResponseObserver<byte[], byte[]>() {
          private @Nullable ClientCallStreamObserver<byte[]> to;
          private int back;
          private long sent;

          @Override
          public void beforeStart(ClientCallStreamObserver<byte[]> stream) {
            to = stream;
            stream.setOnReadyHandler(
                () -> {
                  if (sent == 0) {
                    next();
                  }
                });
          }

          private void next() {
            sent = System.nanoTime();
            Objects.requireNonNull(to).onNext(item);
          }

          @Override
          public void onNext(byte[] again) {
            micros[back++] = (System.nanoTime() - sent) / 1e3;
            if (back < count) {
              next();
            } else {
              Objects.requireNonNull(to).onCompleted();
            }
          }

          @Override
          public void onError(Throwable failure) {
            done.completeExceptionally(failure);
          }

          @Override
          public void onCompleted() {
            done.complete(micros);
          }
        });
    return done;
  }

  /** Takes the server's items. */
  static CompletableFuture<Integer> take(ManagedChannel channel) {
    CompletableFuture<Integer> counted = new CompletableFuture<>();
    ClientCalls.asyncServerStreamingCall(
        channel.newCall(ITEMS, CallOptions.DEFAULT), new byte[1], new Counter(counted));
    return counted;
  }

  /** Sends items. The future completes when the server has them all. */
  static CompletableFuture<Integer> give(ManagedChannel channel, int count) {
    CompletableFuture<Integer> answered = new CompletableFuture<>();
    StreamObserver<byte[]> _ =
        ClientCalls.asyncClientStreamingCall(
            channel.newCall(COUNT, CallOptions.DEFAULT), new Giver(answered, count));
    return answered;
  }

  private static final class Giver extends Counter
      implements ClientResponseObserver<byte[], byte[]> {
    private final int items;

    Giver(CompletableFuture<Integer> answered, int items) {
      super(answered);
      this.items = items;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<byte[]> to) {
      send(items, to);
    }
  }
}
