package io.verbena.grpc;

import io.grpc.ManagedChannelBuilder;
import io.grpc.ServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;

/** Who carries the calls of a test: sessions, or gRPC's own transport, which says what is right. */
enum Transport {
  NETTY {
    @Override
    ServerBuilder<?> server() {
      return NettyServerBuilder.forPort(0);
    }

    @Override
    ManagedChannelBuilder<?> channel(int port) {
      return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext();
    }
  },
  VERBENA {
    @Override
    ServerBuilder<?> server() {
      return VerbenaServerBuilder.forAddress("127.0.0.1:0");
    }

    @Override
    ManagedChannelBuilder<?> channel(int port) {
      return VerbenaChannelBuilder.forAddress("127.0.0.1", port).usePlaintext();
    }
  };

  abstract ServerBuilder<?> server();

  abstract ManagedChannelBuilder<?> channel(int port);
}
