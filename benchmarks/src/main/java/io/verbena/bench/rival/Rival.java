package io.verbena.bench.rival;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;

/** Who else takes part, on TCP. */
public enum Rival {
  /** Blocking sockets of java.nio. */
  NIO("raw nio"),
  /** Netty without anything on top. */
  NETTY("raw netty"),
  /** grpc-java as it comes. */
  GRPC("grpc"),
  /** grpc-java with a direct executor and a larger window. */
  GRPC_TUNED("grpc tuned");

  private final String title;

  Rival(String title) {
    this.title = title;
  }

  /** Returns what its figures are listed under. */
  public String title() {
    return title;
  }

  boolean isRaw() {
    return this == NIO || this == NETTY;
  }

  /** Returns whether it can do what a load asks, in the way that the load asks. */
  public boolean takes(Load load) {
    return switch (load.kind()) {
      case ONEWAY, CONNECT -> false;
      case PUSH, PULL, PUT, FETCH -> load.size() > Kind.NUMBER_BYTES;
      // A blocking socket that writes while its peer does would wait for ever.
      case CALL -> this != NIO || (long) load.size() * load.outstanding() <= 1 << 17;
    };
  }

  /** Starts its server on a free port. */
  public RivalServer serve(String host) {
    return switch (this) {
      case NIO -> NioServer.start(host);
      case NETTY -> NettyServer.start(host);
      case GRPC -> GrpcServer.start(host, GrpcTuning.NONE);
      case GRPC_TUNED -> GrpcServer.start(host, GrpcTuning.TUNED);
    };
  }
}
