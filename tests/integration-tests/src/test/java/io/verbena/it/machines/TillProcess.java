package io.verbena.it.machines;

import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** One of the servers: {@code TillProcess ADDRESS JOURNAL}. */
final class TillProcess {
  /** Some calls take a while, so that there are always calls under way. */
  private static final int SLOW_ONE_OF = 20;

  private static final long A_WHILE_NANOS = 20_000_000;

  private TillProcess() {}

  public static void main(String[] args) throws IOException {
    Journal journal = new Journal(Path.of(args[1]));
    VerbenaServer server =
        VerbenaServer.builder()
            .listen(args[0])
            .path(PathPolicy.TCP_ONLY)
            .limits(Fleet.LIMITS)
            .serve(TillRpc.bind(new JournalledTill(journal)))
            .closeOnShutdown()
            .start();
    System.out.println(server.address());
    JavaProcess.endWithParent();
    server.close();
    journal.close();
  }

  private record JournalledTill(Journal journal) implements Till {
    @Override
    public long price(long call) {
      return execute(call);
    }

    @Override
    public long charge(long call) {
      return execute(call);
    }

    private long execute(long call) {
      journal.begin(call);
      if (call / 2 % SLOW_ONE_OF == 0) {
        LockSupport.parkNanos(A_WHILE_NANOS);
      }
      journal.end(call);
      return call;
    }
  }
}
