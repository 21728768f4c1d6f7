package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import io.verbena.testkit.callers.Pilot;
import io.verbena.testkit.callers.PilotRpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process that has one processor, as many containers do. A caller that is told of its reply runs
 * before the event loop goes on there, and its next call comes before the loop could be let go.
 */
@Timeout(120)
class OneProcessorTest {
  private static final int CALLS = 5_000;

  /** Until the compilers are done the loop is slow, and lets go in time. */
  private static final int WARM_UP = 3;

  private static final int CHAINS = 2 * WARM_UP;
  private static final long LONGEST_NANOS = 10_000_000_000L;

  @Test
  void aCallerStepsTheLoop() throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/taskset")), "no taskset");
    JavaProcess.Ended ended =
        JavaProcess.of(Program.class)
            .under(List.of("taskset", "-c", aProcessor()))
            .run(Duration.ofSeconds(100));
    assertThat(ended.status()).isZero();
    assertThat(Integer.parseInt(ended.out().strip()))
        .as("calls of a hundred that their caller stepped")
        .isGreaterThan(50);
  }

  private static String aProcessor() throws IOException {
    String allowed =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("Cpus_allowed_list:"))
            .findFirst()
            .orElseThrow();
    return allowed.replaceAll(".*\\D", "");
  }

  /** Prints how many of a hundred calls their caller stepped, in the best of its chains. */
  static final class Program {
    private static volatile Thread reader = Thread.currentThread();

    /** Makes a chain of calls; returns how many of a hundred this thread stepped. */
    private static int stepped(Pilot pilot) {
      long begun = System.nanoTime();
      int calls = 0;
      int stepped = 0;
      while (calls < CALLS && System.nanoTime() - begun < LONGEST_NANOS) {
        pilot.echo(calls);
        calls++;
        stepped += reader == Thread.currentThread() ? 1 : 0;
      }
      return 100 * stepped / calls;
    }

    public static void main(String[] arguments) {
      Pilot.Place.made = number -> reader = Thread.currentThread();
      try (VerbenaServer server =
              VerbenaServer.builder()
                  .serve(PilotRpc.bind(new Pilot.Served()))
                  .listen("127.0.0.1:0")
                  .drainTime(Duration.ofMillis(100))
                  .start();
          VerbenaClient client = VerbenaClient.builder().loops(1).build()) {
        Session session = client.connect(server.address().toString());
        SessionOverShmTest.awaitShm(session);
        Pilot pilot = PilotRpc.client(session);
        int most = 0;
        for (int chain = 0; chain < CHAINS; chain++) {
          int part = stepped(pilot);
          most = chain < WARM_UP ? 0 : Math.max(most, part);
        }
        System.out.println(most);
      }
    }
  }
}
