package io.verbena.it.machines;

import static org.awaitility.Awaitility.await;

import io.verbena.api.SessionState;
import io.verbena.channel.Backoff;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelStat;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Many clients, each with a channel of its own to the same servers. They call by a schedule,
 * whatever becomes of the calls before; half of them by threads that wait. Every other round of
 * calls is of the idempotent method.
 */
final class Crowd implements AutoCloseable {
  private static final long SCHEDULE_NANOS = 1_000_000;

  /** A machine that cannot keep up makes fewer calls, and not ever longer queues. */
  private static final int MOST_UNDER_WAY = 2_000;

  private final List<Client> clients;
  private final Turns turns;
  private final long nanosPerCall;
  private final ExecutorService waiting = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<Long, Failure> failures = new ConcurrentHashMap<>();
  private final Thread pacer = new Thread(this::pace, "pacer");
  private volatile boolean enough;
  private volatile long made;

  /**
   * How a call failed.
   *
   * @param amidKill whether a server was killed while it was under way
   */
  record Failure(Throwable cause, boolean amidKill) {}

  /** One of them. */
  private record Client(
      VerbenaClient client, BalancedChannel channel, Till till, TillRpc.Async async) {
    static Client of(String target) {
      VerbenaClient client =
          VerbenaClient.builder().path(PathPolicy.TCP_ONLY).limits(Fleet.LIMITS).build();
      BalancedChannel channel =
          BalancedChannel.builder(client, target)
              .reconnect(Backoff.of(Duration.ofMillis(50), Duration.ofMillis(500)))
              .build();
      return new Client(client, channel, TillRpc.client(channel), TillRpc.async(channel));
    }
  }

  /** Begins to connect. */
  Crowd(int clients, int callsPerSecond, String target, Turns turns) {
    this.clients = IntStream.range(0, clients).mapToObj(i -> Client.of(target)).toList();
    this.nanosPerCall = 1_000_000_000L / callsPerSecond;
    this.turns = turns;
  }

  /** Returns when every client has a session with every server. */
  void awaitOpen() {
    await().atMost(Duration.ofSeconds(30)).until(() -> clients.stream().allMatch(Crowd::isOpen));
  }

  private static boolean isOpen(Client client) {
    return client.channel.stat().endpoints().stream()
        .allMatch(server -> server.state() == SessionState.OPEN);
  }

  /** Begins to call. */
  void begin() {
    pacer.start();
  }

  /** Makes no more calls, and returns when all have ended. */
  void end() throws InterruptedException {
    enough = true;
    pacer.join();
    await().atMost(Duration.ofSeconds(30)).until(() -> turns.underWay() == 0);
  }

  private void pace() {
    long start = System.nanoTime();
    while (!enough) {
      long due = Math.min(Journal.CALLS, (System.nanoTime() - start) / nanosPerCall);
      long next = made;
      while (next < due && turns.underWay() < MOST_UNDER_WAY && !enough) {
        call(next++);
      }
      made = next;
      LockSupport.parkNanos(SCHEDULE_NANOS);
    }
  }

  static boolean isIdempotent(long call) {
    return call % 2 == 0;
  }

  private void call(long call) {
    Client client = clients.get((int) (call / 2 % clients.size()));
    int turn = turns.begin();
    if (call / 2 / clients.size() % 2 == 0) {
      (isIdempotent(call) ? client.async.price(call) : client.async.charge(call))
          .whenComplete((answer, failure) -> ended(call, turn, answer, failure));
    } else {
      waiting.execute(() -> wait(call, turn, client.till));
    }
  }

  private void wait(long call, int turn, Till till) {
    try {
      ended(call, turn, isIdempotent(call) ? till.price(call) : till.charge(call), null);
    } catch (RuntimeException | Error e) {
      ended(call, turn, null, e);
    }
  }

  private void ended(long call, int turn, @Nullable Long answer, @Nullable Throwable failure) {
    boolean amidKill = turns.end(turn);
    if (failure instanceof CompletionException wrapped && wrapped.getCause() != null) {
      failures.put(call, new Failure(wrapped.getCause(), amidKill));
    } else if (failure != null) {
      failures.put(call, new Failure(failure, amidKill));
    } else if (answer == null || answer != call) {
      failures.put(call, new Failure(new AssertionError("it was answered " + answer), amidKill));
    }
  }

  /** Returns how many calls were made; their numbers begin with 0. */
  long made() {
    return made;
  }

  /** Returns what failed, by the calls' numbers. */
  Map<Long, Failure> failures() {
    return failures;
  }

  /** Returns the sum over all channels. */
  long sum(ToLongFunction<ChannelStat> count) {
    return clients.stream().mapToLong(client -> count.applyAsLong(client.channel.stat())).sum();
  }

  @Override
  public void close() {
    enough = true;
    clients.forEach(client -> client.client.close());
    waiting.close();
  }
}
