package io.verbena.bench.rival;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Messages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/** grpc-java on its own Netty. */
final class GrpcServer implements RivalServer {
  /** Written out before the handler returns: one for each thread will do. */
  private static final ThreadLocal<byte[]> ANSWER = ThreadLocal.withInitial(() -> new byte[0]);

  private final Server server;

  private GrpcServer(Server server) {
    this.server = server;
  }

  static GrpcServer start(String host, GrpcTuning tuning) {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(host, 0))
            .maxInboundMessageSize(GrpcTuning.MOST_MESSAGE_BYTES)
            .addService(
                ServerServiceDefinition.builder(GrpcContract.SERVICE)
                    .addMethod(GrpcContract.ECHO, answering(message -> message))
                    .addMethod(
                        GrpcContract.PUSH,
                        answering(message -> Arrays.copyOf(message, Kind.NUMBER_BYTES)))
                    .addMethod(GrpcContract.PULL, answering(GrpcServer::pull))
                    .build());
    if (tuning == GrpcTuning.TUNED) {
      builder.directExecutor().flowControlWindow(GrpcTuning.WINDOW_BYTES);
    }
    try {
      return new GrpcServer(builder.build().start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static io.grpc.ServerCallHandler<byte[], byte[]> answering(UnaryOperator<byte[]> how) {
    return ServerCalls.asyncUnaryCall(
        (request, observer) -> {
          observer.onNext(how.apply(request));
          observer.onCompleted();
        });
  }

  private static byte[] pull(byte[] request) {
    ByteBuffer asked = ByteBuffer.wrap(request);
    int size = asked.getInt(Long.BYTES);
    byte[] answer = ANSWER.get();
    if (answer.length != size) {
      answer = Messages.of(size);
      ANSWER.set(answer);
    }
    Messages.number(answer, asked.getLong(0));
    return answer;
  }

  @Override
  public int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
