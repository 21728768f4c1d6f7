package io.verbena.it.two;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** A {@link LedgerServer} on machine b. It ends with the test's process, however that ends. */
final class LedgerProcess implements AutoCloseable {
  static final String ADDRESS = System.getenv("LAB_PEER") + ":7400";

  /** Another process's, which enters calls into the same ledger. */
  static final String OTHER_ADDRESS = System.getenv("LAB_PEER") + ":7401";

  private final Process process;
  private final String pid;

  /** Returns when it serves. */
  LedgerProcess(String address) throws IOException {
    process =
        Machine.B.start(
            "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "
                + String.join(
                    " ",
                    System.getProperty("java.class.path"),
                    LedgerServer.class.getName(),
                    address));
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = output.readLine();
    while (line != null && !line.startsWith(LedgerServer.SERVING)) {
      System.out.println("b| " + line);
      line = output.readLine();
    }
    if (line == null) {
      throw new IOException("the server does not start; its words are above");
    }
    pid = line.substring(LedgerServer.SERVING.length());
    Thread.ofPlatform()
        .daemon()
        .start(() -> output.lines().forEach(each -> System.out.println("b| " + each)));
  }

  /** Ends it with SIGKILL: no handler, no shutdown hook, no word to anybody. */
  void kill() throws Exception {
    signal("KILL");
  }

  /** Stops its threads, as a long pause of the machine would. */
  void freeze() throws Exception {
    signal("STOP");
  }

  void thaw() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    Machine.B.run("kill -" + name + " " + pid);
  }

  /** Freezes and thaws it; the time between is machine b's own. */
  void pause(int seconds) throws Exception {
    Machine.B.run("kill -STOP %1$s; sleep %2$d; kill -CONT %1$s".formatted(pid, seconds));
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
