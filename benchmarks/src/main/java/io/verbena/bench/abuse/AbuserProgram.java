package io.verbena.bench.abuse;

import io.verbena.bench.run.Subprocess;
import io.verbena.testkit.abuse.Abuse;
import io.verbena.testkit.abuse.Abuser;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A process that misuses a server. Prints when that is in effect, and in the end what it got. */
final class AbuserProgram {
  private static final long LOOK_MILLIS = 20;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private AbuserProgram() {}

  /** Takes the abuse's name, host and port of the server, and how many connections to make. */
  public static void main(String[] args) throws IOException, InterruptedException {
    InetSocketAddress server = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    try (Abuser abuser = Abuse.valueOf(args[0]).start(server, Integer.parseInt(args[3]))) {
      long until = System.nanoTime() + PATIENCE_NANOS;
      while (!abuser.isInEffect()) {
        if (System.nanoTime() - until > 0) {
          throw new IOException("not in effect within a minute: " + abuser.got());
        }
        Thread.sleep(LOOK_MILLIS);
      }
      System.out.println("in effect");
      Subprocess.awaitEndOfInput();
      Abuser.Got got = abuser.got();
      System.out.println(got.connections());
      System.out.println(got.thrownOut());
      System.out.println(got.answered());
      System.out.println(got.refused());
      System.out.println(got.failure().replace('\n', ' '));
    }
  }
}
