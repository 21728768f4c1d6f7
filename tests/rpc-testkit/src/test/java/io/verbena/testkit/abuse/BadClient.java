package io.verbena.testkit.abuse;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.core.PathPolicy;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Ordinary sessions over TCP that are used without regard to others. */
final class BadClient implements Abuser {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final int CANCELLED_AT_ONCE = 64;
  private static final int BLOCKED_AT_ONCE = 200;
  private static final long BETWEEN_TURNS_MILLIS = 10;
  private static final int LARGE = 1 << 20;
  private static final int LARGE_AT_ONCE = 4;
  private static final int CLASHES = 100_000;

  private final VerbenaClient client =
      VerbenaClient.builder()
          .path(PathPolicy.TCP_ONLY)
          .limits(SessionLimits.DEFAULT.withDefaultTimeout(LONG))
          .build();
  private final List<Thread> threads = new ArrayList<>();
  private final LongAdder answered = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final AtomicLong turns = new AtomicLong();
  private volatile String failure = "";
  private volatile boolean closed;

  private BadClient() {}

  /** Calls of one session, again and again. */
  @FunctionalInterface
  private interface Use {
    void once(VictimRpc.Async victim) throws InterruptedException;
  }

  /** Makes calls and cancels them, as fast as it can. */
  static Abuser cancels(InetSocketAddress server, int sessions) {
    BadClient all = new BadClient();
    all.use(address(server), sessions, all::cancelMany);
    return all;
  }

  /** Keeps calling what never returns. */
  static Abuser blocks(InetSocketAddress server, int sessions) {
    BadClient all = new BadClient();
    all.use(address(server), sessions, victim -> all.callMany(victim, BLOCKED_AT_ONCE));
    return all;
  }

  /** Keeps sending what takes long to read. */
  @SuppressWarnings("IdentityHashMapUsage") // for a client, to whom the keys' hash costs nothing
  static Abuser costs(InetSocketAddress server, int sessions) {
    BadClient all = new BadClient();
    Map<Victim.Clash, Integer> entries = new IdentityHashMap<>();
    for (int i = 0; i < CLASHES; i++) {
      entries.put(new Victim.Clash(i), i);
    }
    all.use(
        address(server),
        sessions,
        victim -> {
          CompletableFuture<?> one = all.count(victim.look(entries).toCompletableFuture());
          CompletableFuture<?> other = all.count(victim.look(entries).toCompletableFuture());
          all.turns.incrementAndGet();
          one.join();
          other.join();
        });
    return all;
  }

  /** Moves long values both ways, without end. */
  static Abuser moves(String address, int sessions) {
    BadClient all = new BadClient();
    all.use(address, sessions, all::moveMuch);
    return all;
  }

  private static String address(InetSocketAddress server) {
    return server.getHostString() + ":" + server.getPort();
  }

  private void use(String address, int sessions, Use use) {
    for (int i = 0; i < sessions; i++) {
      Session session = client.connect(address);
      VictimRpc.Async victim = VictimRpc.async(session);
      threads.add(Thread.ofVirtual().start(() -> useUntilClosed(victim, use)));
    }
  }

  private void useUntilClosed(VictimRpc.Async victim, Use use) {
    try {
      while (!closed) {
        use.once(victim);
        turns.incrementAndGet();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RpcException e) {
      failure = String.valueOf(e.getMessage());
    }
  }

  private void cancelMany(VictimRpc.Async victim) {
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (int i = 0; i < CANCELLED_AT_ONCE; i++) {
      calls.add(victim.stay().toCompletableFuture());
    }
    // The last but one of each turn has certainly arrived when the next is answered.
    count(victim.next(1).toCompletableFuture()).join();
    for (CompletableFuture<Void> call : calls) {
      call.cancel(true);
    }
  }

  private void callMany(VictimRpc.Async victim, int calls) throws InterruptedException {
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      all.add(count(victim.block().toCompletableFuture()));
    }
    turns.incrementAndGet();
    all.forEach(CompletableFuture::join);
    Thread.sleep(BETWEEN_TURNS_MILLIS); // a call for which the session has no place fails here
  }

  private void moveMuch(VictimRpc.Async victim) throws InterruptedException {
    Semaphore free = new Semaphore(LARGE_AT_ONCE);
    byte[] value = new byte[LARGE];
    for (int i = 0; !closed; i++) {
      free.acquire();
      turns.incrementAndGet();
      CompletableFuture<?> call =
          i % 2 == 0
              ? victim.large(LARGE).toCompletableFuture()
              : victim.store(value).toCompletableFuture();
      count(call).whenComplete((result, thrown) -> free.release());
    }
  }

  /** Counts how a call ends; returns a future that never fails. */
  private CompletableFuture<?> count(CompletableFuture<?> call) {
    return call.handle(
        (result, thrown) -> {
          if (thrown == null) {
            answered.increment();
          } else {
            refused.increment();
            failure = String.valueOf(thrown.getMessage());
          }
          return null;
        });
  }

  @Override
  public boolean isInEffect() {
    return turns.get() >= threads.size();
  }

  @Override
  public Got got() {
    return new Got(threads.size(), 0, answered.sum(), refused.sum(), failure);
  }

  @Override
  public void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
    client.close();
  }
}
