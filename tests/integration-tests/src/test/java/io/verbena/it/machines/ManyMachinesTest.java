package io.verbena.it.machines;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.channel.ChannelStat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fifty clients call three servers, one of which is always being killed or replaced. It has both
 * processors for its time, so that {@code ./verbena test} runs it and a plain build does not.
 */
@Tag("long")
class ManyMachinesTest {
  private static final int SERVERS = 3;
  private static final int CLIENTS = 50;
  private static final int CALLS_PER_SECOND = 10_000;
  private static final Duration LENGTH =
      Duration.ofSeconds(Boolean.getBoolean("verbena.full") ? 120 : 20);

  private final Turns turns = new Turns();

  @Test
  @Timeout(300)
  void noCallIsLostAndNoFailureLies(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("journal");
    try (Journal journal = new Journal(file);
        Fleet fleet = new Fleet(SERVERS, file);
        Crowd crowd = new Crowd(CLIENTS, CALLS_PER_SECOND, fleet.target(), turns)) {
      crowd.awaitOpen();
      long start = System.nanoTime();
      crowd.begin();
      for (int i = 0; i < 2 || System.nanoTime() - start < LENGTH.toNanos(); i++) {
        turn(i, fleet, crowd);
      }
      crowd.end();
      double seconds = (System.nanoTime() - start) / 1e9;
      fleet.killAll(); // so that nothing is executed any more
      System.out.println(summary(crowd, seconds));
      assertThat(crowd.sum(ChannelStat::calls)).isEqualTo(crowd.made());
      assertThat(turns.count(Turns.Kind.KILL)).isPositive();
      assertThat(turns.count(Turns.Kind.DRAIN)).isPositive();
      for (long call = 0; call < crowd.made(); call++) {
        check(call, crowd.failures().get(call), journal);
      }
    }
  }

  /** One server is killed or drained, and started again. */
  private void turn(int number, Fleet fleet, Crowd crowd) throws Exception {
    int server = number % SERVERS;
    if (number % 2 == 0) {
      turns.next(Turns.Kind.KILL);
      fleet.kill(server);
    } else {
      turns.next(Turns.Kind.DRAIN);
      fleet.drain(server);
    }
    fleet.restart(server);
    crowd.awaitOpen();
    turns.next(Turns.Kind.QUIET);
    turns.awaitEarlierCalls(); // so that no later failure is this turn's
  }

  private static void check(long call, Crowd.@Nullable Failure failure, Journal journal) {
    int begun = journal.begun(call);
    int ended = journal.ended(call);
    String what =
        "call %d, begun %d times, ended %d times: %s".formatted(call, begun, ended, failure);
    if (!Crowd.isIdempotent(call)) {
      assertThat(begun).as(what).isLessThanOrEqualTo(1);
    }
    if (failure == null) {
      assertThat(ended).as(what).isPositive();
      return;
    }
    assertThat(Crowd.isIdempotent(call)).as(what).isFalse();
    assertThat(failure.amidKill()).as(what).isTrue();
    assertThat(failure.cause()).as(what).isInstanceOf(RpcException.class);
    switch (((RpcException) failure.cause()).execution()) {
      case NOT_EXECUTED -> assertThat(begun).as(what).isZero();
      case EXECUTED -> assertThat(ended).as(what).isOne();
      case UNKNOWN -> assertThat(ended).as(what).isBetween(0, 1);
    }
  }

  private String summary(Crowd crowd, double seconds) {
    Map<String, Long> failures =
        crowd.failures().values().stream()
            .collect(
                Collectors.groupingBy(ManyMachinesTest::kind, TreeMap::new, Collectors.counting()));
    return String.format(
        Locale.ROOT,
        "many machines: %,d calls of %d clients in %.0f s (%,.0f/s), %,d moves, %,d retries, "
            + "%,d refused by the budget, failures %s, %d kills, %d drains",
        crowd.made(),
        CLIENTS,
        seconds,
        crowd.made() / seconds,
        crowd.sum(ChannelStat::moves),
        crowd.sum(ChannelStat::retries),
        crowd.sum(ChannelStat::refusedByBudget),
        failures,
        turns.count(Turns.Kind.KILL),
        turns.count(Turns.Kind.DRAIN));
  }

  private static String kind(Crowd.Failure failure) {
    return failure.cause() instanceof RpcException rpc
        ? rpc.status() + " " + rpc.execution()
        : failure.cause().toString();
  }
}
