package io.verbena.bench.rival;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;

/** The rivals. */
public enum Rival {
  /** Blocking sockets of java.nio. */
  NIO("raw nio"),
  /** Netty without anything on top. */
  NETTY("raw netty"),
  /** grpc-java with its defaults. */
  GRPC("grpc"),
  /** grpc-java with a direct executor and a larger window. */
  GRPC_TUNED("grpc tuned"),
  /** The same over a Unix socket; between two processes of this host only. */
  GRPC_UNIX("grpc unix"),
  /** grpc-java over sessions on TCP, with its defaults. */
  VERBENA_GRPC("verbena-grpc"),
  /** The same with a direct executor. */
  VERBENA_GRPC_TUNED("verbena-grpc tuned"),
  /** The same over shared memory; between two processes of this host only. */
  VERBENA_GRPC_SHM("verbena-grpc shm"),
  /** Aeron's IPC, through shared memory; between two processes of this host only. */
  AERON("aeron ipc"),
  /** UCX by its Java binding, on the transport that it chooses: on one host shared memory. */
  UCX("ucx"),
  /** Files through a socket by sendfile. */
  SENDFILE("raw sendfile"),
  /** DaRPC on DiSNI's verbs, on the same provider as Verbena's. */
  DARPC("darpc"),
  /** ib_send_lat, ib_write_bw and ib_read_bw; between two processes of this host only. */
  PERFTEST("perftest");

  private final String title;

  Rival(String title) {
    this.title = title;
  }

  /** Returns the name in tables of figures. */
  public String title() {
    return title;
  }

  /** Returns whether the rival supports a load. */
  public boolean takes(Load load) {
    return switch (this) {
      // Two blocking sockets that both write wait for ever.
      case NIO -> movesMemory(load) || (isCall(load) && bytesUnderWay(load) <= 1 << 17);
      case NETTY -> movesMemory(load) || isCall(load);
      case GRPC, GRPC_TUNED, GRPC_UNIX, VERBENA_GRPC, VERBENA_GRPC_TUNED, VERBENA_GRPC_SHM ->
          (movesMemory(load) || isCall(load)) && load.size() <= GrpcTuning.MOST_MESSAGE_BYTES;
      case AERON ->
          isCall(load)
              && load.connections() == 1
              && load.size() <= AeronIpc.MOST_BYTES
              && bytesUnderWay(load) <= AeronIpc.MOST_BYTES_UNDER_WAY;
      case UCX ->
          load.connections() == 1
              && (isCall(load)
                  ? bytesUnderWay(load) <= JucxEnd.MOST_BYTES
                  : load.kind() == Kind.PUT
                      && movesMemory(load)
                      && bytesUnderWay(load) <= JucxEnd.WINDOW_BYTES);
      case SENDFILE ->
          load.kind().movesObjects()
              && load.memory() == Memory.FILES
              && load.size() > Kind.NUMBER_BYTES
              && load.size() <= Exchange.MOST;
      case DARPC ->
          isCall(load)
              && load.size() <= DarpcMessage.MOST_BYTES
              && load.outstanding() <= DarpcMessage.DEPTH / 2;
      case PERFTEST -> Perftest.measures(load);
    };
  }

  private static boolean isCall(Load load) {
    return load.kind() == Kind.CALL && load.size() <= Exchange.MOST;
  }

  /** Raw rivals have one buffer for all messages, so they do not support new memory each time. */
  private static boolean movesMemory(Load load) {
    boolean moves =
        switch (load.kind()) {
          case PUSH, PULL -> true;
          case PUT, FETCH -> load.memory() == Memory.WARM;
          case CALL, ONEWAY, MIXED, CONNECT -> false;
        };
    return moves && load.size() > Kind.NUMBER_BYTES && load.size() <= Exchange.MOST;
  }

  private static long bytesUnderWay(Load load) {
    return (long) load.size() * load.outstanding();
  }

  /**
   * Starts the rival's server on a free port.
   *
   * @param polls whether its threads never wait, if the rival supports that
   * @throws IllegalStateException if the rival cannot run here, or needs no server
   */
  public RivalServer serve(String host, boolean polls) {
    return switch (this) {
      case NIO -> NioServer.start(host);
      case NETTY -> NettyServer.start(host);
      case GRPC -> GrpcServer.start(host, GrpcTuning.NONE);
      case GRPC_TUNED -> GrpcServer.start(host, GrpcTuning.TUNED);
      case GRPC_UNIX -> GrpcServer.start(host, GrpcTuning.UNIX);
      case VERBENA_GRPC -> GrpcServer.start(host, GrpcTuning.SESSIONS);
      case VERBENA_GRPC_TUNED -> GrpcServer.start(host, GrpcTuning.SESSIONS_TUNED);
      case VERBENA_GRPC_SHM -> GrpcServer.start(host, GrpcTuning.SESSIONS_SHM);
      case AERON -> AeronServer.start(polls);
      case UCX -> JucxServer.start(host, polls);
      case SENDFILE -> SendfileServer.start(host);
      case DARPC -> DarpcServer.start(host, polls);
      case PERFTEST -> throw new IllegalStateException("perftest has its own servers");
    };
  }
}
