package io.verbena.bench.abuse;

import io.verbena.bench.run.Subprocess;
import io.verbena.bench.usage.Held;
import io.verbena.bench.usage.ProcessMemory;
import io.verbena.bench.verbena.BenchHost;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.abuse.VictimRpc;
import io.verbena.testkit.abuse.VictimService;
import java.io.IOException;
import java.time.Duration;

/** The server that is misused. Prints where it listens. */
final class VictimProgram {
  static final int HEAP_MEBIBYTES = 256;
  static final int BULK_MEBIBYTES = 64;

  /** Ten thousand idle ones, and those that are measured. */
  private static final int MOST_SESSIONS = 12_000;

  private VictimProgram() {}

  public static void main(String[] args) throws IOException {
    try (VictimService service = new VictimService();
        VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .path(PathPolicy.TCP_ONLY)
                .maxSessions(MOST_SESSIONS)
                .bulkMemoryBytes((long) BULK_MEBIBYTES << 20)
                .drainTime(Duration.ZERO)
                .onSession(VictimService::takePushes)
                .serve(VictimRpc.bind(service))
                .serve(BenchHost.target())
                .serve(VictimControlRpc.bind(new Control()))
                .start()) {
      System.out.println(server.address().getHost() + ":" + server.address().getPort());
      Subprocess.awaitEndOfInput();
    }
  }

  private static final class Control implements VictimControl {
    @Override
    public Held held() {
      return ProcessMemory.read();
    }

    @Override
    public void forgetPeak() {
      ProcessMemory.forgetPeak();
    }
  }
}
