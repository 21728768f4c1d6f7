package io.verbena.it;

import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A server in a process of its own. It ends with the test's process, however that ends. */
final class HouseProcess implements AutoCloseable {
  /** Short bounds, for both ends. */
  static final SessionLimits LIMITS =
      SessionLimits.DEFAULT
          .withKeepalive(Duration.ofMillis(300), Duration.ofSeconds(2))
          .withResumeWindow(Duration.ofMillis(500));

  private static final String STAYING = "staying";

  private final Process process;
  private final BufferedReader output;
  private final String address;

  HouseProcess(String listen) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    process =
        new ProcessBuilder(
                java, "-cp", System.getProperty("java.class.path"), Program.class.getName(), listen)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    address = line();
  }

  private String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the server's process ended");
    }
    return line;
  }

  String address() {
    return address;
  }

  /** Returns when a handler of {@link House#stay} runs, or a fetch of the depot's has stopped. */
  void awaitStay() throws IOException {
    if (!line().equals(STAYING)) {
      throw new IOException("the server said something else");
    }
  }

  /** Ends it with SIGKILL: no handler, no shutdown hook, no word to anybody. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops its threads, as a long pause of the machine would. */
  void freeze() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start().waitFor();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    output.close();
  }

  /** What runs there. */
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
        while (System.in.read() != -1) {
          // Nothing is ever written here; only the end says something.
        }
      }
    }
  }
}
