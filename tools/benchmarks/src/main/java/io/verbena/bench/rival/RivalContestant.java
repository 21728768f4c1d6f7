package io.verbena.bench.rival;

import io.verbena.api.RpcException;
import io.verbena.bench.load.AbsentException;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Contestant;
import io.verbena.bench.load.Load;
import java.io.IOException;
import java.util.function.IntSupplier;

/** A rival under the same loads. */
public final class RivalContestant implements Contestant {
  private final Rival rival;
  private final String host;
  private final IntSupplier port;

  /**
   * Makes a contestant for a rival with a server on a host.
   *
   * @param port starts the server, and returns its port
   */
  public RivalContestant(Rival rival, String host, IntSupplier port) {
    this.rival = rival;
    this.host = host;
    this.port = port;
  }

  @Override
  public String name() {
    return rival.title();
  }

  @Override
  public boolean takes(Load load) {
    return rival.takes(load);
  }

  @Override
  public Caller connect(Load load) throws AbsentException {
    try {
      return caller(Exchange.of(load), load.validate());
    } catch (IOException | RpcException e) {
      throw new AbsentException(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbsentException("interrupted");
    }
  }

  private Caller caller(Exchange exchange, boolean validate)
      throws IOException, InterruptedException {
    return switch (rival) {
      case NIO -> new NioCaller(host, port.getAsInt(), exchange, validate);
      case NETTY -> new NettyCaller(host, port.getAsInt(), exchange, validate);
      case GRPC -> new GrpcCaller(host, port.getAsInt(), GrpcTuning.NONE);
      case GRPC_TUNED -> new GrpcCaller(host, port.getAsInt(), GrpcTuning.TUNED);
      case GRPC_UNIX -> new GrpcCaller(host, port.getAsInt(), GrpcTuning.UNIX);
      case VERBENA_GRPC -> new GrpcCaller(host, port.getAsInt(), GrpcTuning.SESSIONS);
      case VERBENA_GRPC_TUNED -> new GrpcCaller(host, port.getAsInt(), GrpcTuning.SESSIONS_TUNED);
      case VERBENA_GRPC_SHM -> new GrpcCaller(host, port.getAsInt(), GrpcTuning.SESSIONS_SHM);
      case AERON -> new AeronCaller(port.getAsInt());
      case UCX -> new JucxCaller(host, port.getAsInt(), exchange);
      case SENDFILE -> new SendfileCaller(host, port.getAsInt(), exchange, validate);
      case DARPC -> new DarpcCaller(host, port.getAsInt());
      case PERFTEST -> throw new IOException("perftest has no connections");
    };
  }

  @Override
  public void close() {}
}
