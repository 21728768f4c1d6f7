package io.verbena.bench.rival;

import io.verbena.bench.load.AbsentException;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Contestant;
import io.verbena.bench.load.Load;
import java.io.IOException;

/** A rival under the same loads. */
public final class RivalContestant implements Contestant {
  private final Rival rival;
  private final String host;
  private final int port;

  /** A rival whose server listens there. */
  public RivalContestant(Rival rival, String host, int port) {
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
      return switch (rival) {
        case NIO -> new NioCaller(host, port, Exchange.of(load));
        case NETTY -> new NettyCaller(host, port, Exchange.of(load));
        case GRPC -> new GrpcCaller(host, port, GrpcTuning.NONE);
        case GRPC_TUNED -> new GrpcCaller(host, port, GrpcTuning.TUNED);
      };
    } catch (IOException e) {
      throw new AbsentException(rival.title() + ": " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbsentException("interrupted");
    }
  }

  @Override
  public void close() {}
}
