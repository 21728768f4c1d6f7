package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.callers.Pilot;
import io.verbena.testkit.callers.PilotRpc;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocking calls over a channel are stepped by their caller, as those of a session are. */
class SteppingCallersTest {
  private static final int CALLS = 400;

  @AfterEach
  void close() {
    Pilot.Place.made = number -> {};
  }

  @Test
  void theCallerReadsItsReplies() {
    // With one processor callers seldom get to.
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
    AtomicInteger readHere = new AtomicInteger();
    Thread me = Thread.currentThread();
    Pilot.Place.made =
        number -> {
          if (Thread.currentThread() == me) {
            readHere.incrementAndGet();
          }
        };
    try (VerbenaServer server = served();
        VerbenaServer other = served();
        VerbenaClient client = VerbenaClient.builder().loops(1).build();
        BalancedChannel channel =
            BalancedChannel.builder(client, "static:" + server.address() + "," + other.address())
                .build()) {
      Pilot pilot = PilotRpc.client(channel);
      for (int number = 0;
          number < CALLS || (readHere.get() == 0 && number < 5 * CALLS);
          number++) {
        assertThat(pilot.echo(number).number()).isEqualTo(number);
      }
    }
    assertThat(readHere.get()).isPositive();
  }

  private static VerbenaServer served() {
    return VerbenaServer.builder()
        .listen("localhost:0")
        .serve(PilotRpc.bind(new Pilot.Served()))
        .start();
  }
}
