package io.verbena.bench.rival;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.stub.ServerCalls;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Messages;
import io.verbena.grpc.VerbenaServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/** grpc-java on its own Netty. */
final class GrpcServer implements RivalServer {
  /** The answer is written before the handler returns, so one for each thread is enough. */
  private static final ThreadLocal<byte[]> ANSWER = ThreadLocal.withInitial(() -> new byte[0]);

  private final Server server;
  private final int port;
  private final Runnable closing;

  private GrpcServer(Server server, int port, Runnable closing) {
    this.server = server;
    this.port = port;
    this.closing = closing;
  }

  static GrpcServer start(String host, GrpcTuning tuning) {
    int port = tuning == GrpcTuning.UNIX ? DarpcServer.freePort() : 0;
    Runnable closing = () -> {};
    if (tuning.isOverSessions()) {
      return overSessions(host, tuning);
    }
    NettyServerBuilder builder;
    if (tuning == GrpcTuning.UNIX) {
      EventLoopGroup loops = new MultiThreadIoEventLoopGroup(EpollIoHandler.newFactory());
      closing = loops::shutdownGracefully;
      builder =
          NettyServerBuilder.forAddress(new DomainSocketAddress(GrpcTuning.socket(port).toFile()))
              .channelType(EpollServerDomainSocketChannel.class)
              .bossEventLoopGroup(loops)
              .workerEventLoopGroup(loops);
    } else {
      builder = NettyServerBuilder.forAddress(new InetSocketAddress(host, 0));
    }
    builder.maxInboundMessageSize(GrpcTuning.MOST_MESSAGE_BYTES).addService(service());
    if (tuning.isDirect()) {
      builder.directExecutor().flowControlWindow(GrpcTuning.WINDOW_BYTES);
    }
    try {
      Server server = builder.build().start();
      return new GrpcServer(server, tuning == GrpcTuning.UNIX ? port : server.getPort(), closing);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static GrpcServer overSessions(String host, GrpcTuning tuning) {
    VerbenaServerBuilder builder =
        VerbenaServerBuilder.forAddress(host + ":0")
            .engine(tuning::setPath)
            .maxInboundMessageSize(GrpcTuning.MOST_MESSAGE_BYTES)
            .addService(service());
    if (tuning.isDirect()) {
      builder.directExecutor();
    }
    try {
      Server server = builder.build().start();
      return new GrpcServer(server, server.getPort(), () -> {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ServerServiceDefinition service() {
    return ServerServiceDefinition.builder(GrpcContract.SERVICE)
        .addMethod(GrpcContract.ECHO, answering(message -> message))
        .addMethod(
            GrpcContract.PUSH, answering(message -> Arrays.copyOf(message, Kind.NUMBER_BYTES)))
        .addMethod(GrpcContract.PULL, answering(GrpcServer::pull))
        .build();
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
    return port;
  }

  @Override
  public void close() {
    server.shutdownNow();
    closing.run();
  }
}
