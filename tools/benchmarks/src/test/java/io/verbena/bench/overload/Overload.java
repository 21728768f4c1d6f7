package io.verbena.bench.overload;

import io.verbena.api.CallOptions;
import io.verbena.api.Metadata;
import io.verbena.api.Priority;
import io.verbena.api.Session;
import io.verbena.core.ConcurrencyLimit;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Calls that arrive at a rate, whatever becomes of those before: one in ten is critical, five are
 * normal, four are of the background. The server does eight at a time, 10 ms each: 800 in a second.
 * A call that takes longer than 500 ms has failed.
 */
public final class Overload implements AutoCloseable {
  private static final int WORKERS = 8;
  private static final long WORK_MILLIS = 10;
  private static final int CAPACITY = (int) (WORKERS * 1_000 / WORK_MILLIS);
  private static final int SESSIONS = 4;
  private static final long SLOT_BYTES = 256L << 20;

  private static final SessionLimits MANY_CALLS = SessionLimits.DEFAULT.withMaxCalls(8_192);

  private final Semaphore workers = new Semaphore(WORKERS, true);
  private final Random random = new Random(1);
  private final VerbenaServer server;
  private final VerbenaClient client;
  private final Map<Priority, List<CounterRpc.Async>> stubs = new EnumMap<>(Priority.class);

  /**
   * What came of a load.
   *
   * @param load in capacities
   * @param offered calls in a second
   * @param done calls in a second that were answered in time
   * @param p99Millis of those, by priority; 0 where there are none
   * @param taken which part of the calls was answered in time, by priority
   */
  public record Outcome(
      double load,
      double offered,
      double done,
      Map<Priority, Double> p99Millis,
      Map<Priority, Double> taken) {
    /** Returns the 99th percentile of a priority's calls, in milliseconds. */
    public double p99(Priority priority) {
      return of(p99Millis, priority);
    }

    /** Returns which part of a priority's calls was answered in time. */
    public double taken(Priority priority) {
      return of(taken, priority);
    }
  }

  private static final class Tally {
    private final AtomicLong offered = new AtomicLong();
    private final ConcurrentLinkedQueue<Long> took = new ConcurrentLinkedQueue<>();
  }

  /** Starts a server, with this limit or without. */
  public Overload(@Nullable ConcurrencyLimit limit) {
    VerbenaServer.Builder builder =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .limits(MANY_CALLS)
            .slotMemoryBytes(SLOT_BYTES)
            .serve(CounterRpc.bind(this::serve));
    if (limit != null) {
      builder.concurrencyLimit(limit);
    }
    server = builder.start();
    client = VerbenaClient.builder().limits(MANY_CALLS).slotMemoryBytes(SLOT_BYTES).build();
    for (Priority one : Priority.values()) {
      stubs.put(one, new ArrayList<>());
    }
    for (int i = 0; i < SESSIONS; i++) {
      Session session = client.connect(server.address().toString());
      for (Priority one : Priority.values()) {
        CallOptions options = CallOptions.DEFAULT.withMetadata(one.in(Metadata.EMPTY));
        of(stubs, one).add(CounterRpc.async(session, options));
      }
    }
  }

  private static <T> T of(Map<Priority, T> all, Priority one) {
    return Objects.requireNonNull(all.get(one));
  }

  private long serve(long number) {
    try {
      workers.acquire();
      try {
        Thread.sleep(WORK_MILLIS);
      } finally {
        workers.release();
      }
      return number;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("nobody waits for it any more");
    }
  }

  /**
   * Offers a load.
   *
   * @param load in capacities
   * @param settling for so many seconds before it counts
   * @param seconds for so many it counts
   */
  public Outcome offer(double load, double settling, double seconds) throws InterruptedException {
    Map<Priority, Tally> tallies = new EnumMap<>(Priority.class);
    for (Priority one : Priority.values()) {
      tallies.put(one, new Tally());
    }
    long began = System.nanoTime();
    long counted = began + (long) (settling * 1e9);
    long ends = counted + (long) (seconds * 1e9);
    double arrives = (double) began;
    for (long number = 0; arrives < ends; number++) {
      while (System.nanoTime() < arrives) {
        LockSupport.parkNanos((long) arrives - System.nanoTime());
      }
      int draw = random.nextInt(10);
      Priority priority =
          draw == 0 ? Priority.CRITICAL : draw < 6 ? Priority.NORMAL : Priority.BACKGROUND;
      call(priority, number, (long) arrives, arrives < counted ? null : of(tallies, priority));
      arrives += -Math.log(1 - random.nextDouble()) * 1e9 / (load * CAPACITY);
    }
    Thread.sleep(1_000); // what is under way ends
    Map<Priority, Double> p99 = new EnumMap<>(Priority.class);
    Map<Priority, Double> taken = new EnumMap<>(Priority.class);
    double offered = 0;
    double done = 0;
    for (Priority one : Priority.values()) {
      Tally tally = of(tallies, one);
      List<Long> took = tally.took.stream().sorted().toList();
      offered += (double) tally.offered.get();
      done += took.size();
      p99.put(one, took.isEmpty() ? 0 : took.get((int) (took.size() * 0.99)) / 1e6);
      taken.put(one, took.size() / (double) Math.max(1, tally.offered.get()));
    }
    return new Outcome(load, offered / seconds, done / seconds, p99, taken);
  }

  private void call(Priority priority, long number, long arrived, @Nullable Tally tally) {
    if (tally != null) {
      tally.offered.incrementAndGet();
    }
    CounterRpc.Async stub = of(stubs, priority).get((int) (number % SESSIONS));
    CompletionStage<Long> _ =
        stub.serve(number)
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null && tally != null) {
                    tally.took.add(System.nanoTime() - arrived);
                  }
                });
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
