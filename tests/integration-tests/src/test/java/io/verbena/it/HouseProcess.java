package io.verbena.it;

import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.time.Duration;

/** A server in a process of its own. It ends with the test's process, however that ends. */
final class HouseProcess implements AutoCloseable {
  /** Short bounds, for both ends. */
  static final SessionLimits LIMITS =
      SessionLimits.DEFAULT
          .withKeepalive(Duration.ofMillis(300), Duration.ofSeconds(5))
          .withResumeWindow(Duration.ofMillis(500));

  private static final String STAYING = "staying";

  private final JavaProcess process;
  private final String address;

  HouseProcess(String listen) throws IOException {
    process = JavaProcess.start(Program.class, listen);
    address = process.line();
  }

  String address() {
    return address;
  }

  /** Returns when a handler of {@link House#stay} runs, or a fetch of the depot's has stopped. */
  void awaitStay() throws IOException {
    if (!process.line().equals(STAYING)) {
      throw new IOException("the server said something else");
    }
  }

  /** Ends it with SIGKILL: no handler, no shutdown hook, no word to anybody. */
  void kill() throws InterruptedException {
    process.kill();
  }

  /** Stops its threads, as a long pause of the machine would. */
  void freeze() throws IOException, InterruptedException {
    process.freeze();
  }

  @Override
  public void close() throws IOException {
    process.close();
  }

  /** The program of that process. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      House house =
          new PlainHouse() {
            @Override
            public String stay() {
              System.out.println(STAYING);
              return super.stay();
            }
          };
      try (VerbenaServer server =
          VerbenaServer.builder()
              .listen(args[0])
              .limits(LIMITS)
              .serve(HouseRpc.bind(house))
              .serve(DepotRpc.bind(new PlainDepot(() -> System.out.println(STAYING))))
              .start()) {
        System.out.println(server.address());
        JavaProcess.endWithParent();
      }
    }
  }
}
