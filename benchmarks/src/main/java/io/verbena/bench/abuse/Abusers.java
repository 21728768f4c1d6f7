package io.verbena.bench.abuse;

import io.verbena.bench.run.Subprocess;
import io.verbena.testkit.abuse.Abuse;
import io.verbena.testkit.abuse.Abuser.Got;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The processes that misuse a server together. */
final class Abusers implements AutoCloseable {
  /** Many connections come from several processes. */
  private static final int MOST_OF_ONE = 2_500;

  private static final List<String> FLAGS =
      List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final List<Subprocess> processes = new ArrayList<>();

  private Abusers() {}

  /** Starts them; returns when the abuse is in effect. */
  static Abusers start(Abuse abuse, int count, String host, int port) throws IOException {
    Abusers all = new Abusers();
    try {
      for (int left = count; left > 0; left -= MOST_OF_ONE) {
        int share = Math.min(left, MOST_OF_ONE);
        all.processes.add(
            Subprocess.startAside(
                FLAGS,
                AbuserProgram.class,
                abuse.name(),
                host,
                Integer.toString(port),
                Integer.toString(share)));
      }
      for (Subprocess one : all.processes) {
        one.line();
      }
      return all;
    } catch (IOException | RuntimeException e) {
      all.close();
      throw e;
    }
  }

  /** Has them end; returns what they got, all together. */
  Got end() throws IOException {
    Got sum = new Got(0, 0, 0, 0, "");
    for (Subprocess one : processes) {
      one.endInput();
      sum =
          sum.plus(
              new Got(
                  Long.parseLong(one.line()),
                  Long.parseLong(one.line()),
                  Long.parseLong(one.line()),
                  Long.parseLong(one.line()),
                  one.line()));
    }
    return sum;
  }

  @Override
  public void close() throws IOException {
    for (Subprocess one : processes) {
      one.close();
    }
  }
}
