package io.verbena.bench.rival;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Kind;
import io.verbena.grpc.VerbenaChannelBuilder;
import org.jspecify.annotations.Nullable;

/** A channel of grpc-java. Calls are made as by generated stubs. */
final class GrpcCaller implements Caller {
  private final ManagedChannel channel;
  private final GrpcTuning tuning;

  /** The caller's own event loops, if it has any. */
  private final @Nullable EventLoopGroup loops;

  GrpcCaller(String host, int port, GrpcTuning tuning) {
    this.tuning = tuning;
    if (tuning.isOverSessions()) {
      VerbenaChannelBuilder over =
          VerbenaChannelBuilder.forAddress(host, port)
              .usePlaintext()
              .engine(tuning::setPath)
              .maxInboundMessageSize(GrpcTuning.MOST_MESSAGE_BYTES);
      if (tuning.isDirect()) {
        over.directExecutor();
      }
      this.loops = null;
      this.channel = over.build();
      return;
    }
    NettyChannelBuilder builder;
    if (tuning == GrpcTuning.UNIX) {
      EventLoopGroup made = new MultiThreadIoEventLoopGroup(EpollIoHandler.newFactory());
      loops = made;
      builder =
          NettyChannelBuilder.forAddress(new DomainSocketAddress(GrpcTuning.socket(port).toFile()))
              .channelType(EpollDomainSocketChannel.class)
              .eventLoopGroup(made);
    } else {
      loops = null;
      builder = NettyChannelBuilder.forAddress(host, port);
    }
    builder.usePlaintext().maxInboundMessageSize(GrpcTuning.MOST_MESSAGE_BYTES);
    if (tuning.isDirect()) {
      builder.directExecutor().flowControlWindow(GrpcTuning.WINDOW_BYTES);
    }
    this.channel = builder.build();
  }

  @Override
  public void start(Call call) {
    ClientCalls.asyncUnaryCall(
        channel.newCall(method(call), CallOptions.DEFAULT), request(call), new Answer(call));
  }

  @Override
  public void exchange(Call call) {
    call.answered(
        ClientCalls.blockingUnaryCall(channel, method(call), CallOptions.DEFAULT, request(call)));
  }

  private static MethodDescriptor<byte[], byte[]> method(Call call) {
    return GrpcContract.of(call.load().kind());
  }

  private static byte[] request(Call call) {
    Kind kind = call.load().kind();
    return kind == Kind.PULL || kind == Kind.FETCH
        ? GrpcContract.pullRequest(call.number(), call.load().size())
        : call.message();
  }

  private record Answer(Call call) implements StreamObserver<byte[]> {
    @Override
    public void onNext(byte[] answer) {
      call.answered(answer);
    }

    @Override
    public void onError(Throwable failure) {
      call.failed(failure);
    }

    @Override
    public void onCompleted() {}
  }

  @Override
  public String path() {
    return switch (tuning) {
      case NONE -> "tcp (defaults)";
      case TUNED -> "tcp (direct executor, 4 MiB window)";
      case UNIX -> "unix socket (direct executor, 4 MiB window)";
      case SESSIONS -> "tcp (session, defaults)";
      case SESSIONS_TUNED -> "tcp (session, direct executor)";
      case SESSIONS_SHM -> "shm (session, direct executor)";
    };
  }

  @Override
  public void close() {
    channel.shutdownNow();
    if (loops != null) {
      loops.shutdownGracefully();
    }
  }
}
