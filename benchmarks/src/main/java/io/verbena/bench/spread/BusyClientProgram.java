package io.verbena.bench.spread;

import io.verbena.bench.run.Subprocess;
import io.verbena.bench.verbena.BenchTargetRpc;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One client with one session, which makes calls until its input ends. Prints every 50 ms how many
 * have been answered.
 */
final class BusyClientProgram {
  private static final int BYTES = 64;
  private static final long TELL_MILLIS = 50;

  private final BenchTargetRpc.Async target;
  private final byte[] message = new byte[BYTES];

  /** Written by the loop alone. */
  private final AtomicLong answered = new AtomicLong();

  private BusyClientProgram(BenchTargetRpc.Async target) {
    this.target = target;
  }

  /** Arguments: the server's address, and how many calls to have under way. */
  public static void main(String[] args) throws IOException, InterruptedException {
    try (VerbenaClient client = VerbenaClient.builder().path(PathPolicy.TCP_ONLY).build()) {
      BusyClientProgram busy = new BusyClientProgram(BenchTargetRpc.async(client.connect(args[0])));
      for (int i = Integer.parseInt(args[1]); i > 0; i--) {
        busy.next();
      }
      Thread.ofPlatform().daemon().start(busy::tell);
      Subprocess.awaitEndOfInput();
    }
  }

  private void next() {
    target.echo(message).thenAccept(this::answered);
  }

  private void answered(byte[] answer) {
    answered.lazySet(answered.getPlain() + 1);
    next();
  }

  private void tell() {
    try {
      while (true) {
        Thread.sleep(TELL_MILLIS);
        System.out.println(answered.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
