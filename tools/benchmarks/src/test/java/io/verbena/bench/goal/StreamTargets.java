package io.verbena.bench.goal;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.verbena.api.Session;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The targets of streams of items of 1 KiB over TCP, beside those of gRPC, by turns in one process:
 * directly, and through a proxy that adds 1 ms to the round trip.
 */
public final class StreamTargets {
  private static final long HALF_A_MILLISECOND = 500_000;
  private static final int TURN_SECONDS = 60;

  private final Scoreboard board;
  private final int items;
  private final int rounds;

  /**
   * Targets that are told by these turns.
   *
   * @param items how many a stream has
   * @param rounds how many count. As many before them warm both up
   */
  public StreamTargets(Scoreboard board, int items, int rounds) {
    this.board = board;
    this.items = items;
    this.rounds = rounds;
  }

  /** Tells a row for each target. */
  public void measure() throws InterruptedException {
    board.section("streams of 1 KiB", () -> measure(", directly", 0, 1.2));
    board.section("streams of 1 KiB, 1 ms", () -> measure(", 1 ms", HALF_A_MILLISECOND, 1));
  }

  private void measure(String where, long delayNanos, double limit)
      throws IOException, InterruptedException {
    Server rival = GrpcFeed.serve(items);
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .path(PathPolicy.TCP_ONLY)
                .serve(FeedRpc.bind(new Served()))
                .start();
        VerbenaClient client = VerbenaClient.builder().path(PathPolicy.TCP_ONLY).build();
        DelayingProxy before = DelayingProxy.start(server.address().getPort(), delayNanos);
        DelayingProxy beforeRival = DelayingProxy.start(rival.getPort(), delayNanos)) {
      boolean direct = delayNanos == 0;
      int port = direct ? server.address().getPort() : before.port();
      ManagedChannel channel = GrpcFeed.connect(direct ? rival.getPort() : beforeRival.port());
      try (Session session = client.connect("127.0.0.1:" + port)) {
        Feed feed = FeedRpc.client(session);
        tell(
            "result" + where,
            () -> FeedItems.count(feed.items(items)),
            () -> GrpcFeed.take(channel),
            limit);
        FeedRpc.Async async = FeedRpc.async(session);
        tell(
            "argument" + where,
            () -> async.count(FeedItems.of(items)).toCompletableFuture(),
            () -> GrpcFeed.give(channel, items),
            limit);
      } finally {
        channel.shutdownNow();
      }
    } finally {
      rival.shutdownNow();
    }
  }

  private static final class Served implements Feed {
    @Override
    public Flow.Publisher<byte[]> items(int count) {
      return FeedItems.of(count);
    }

    @Override
    public int count(Flow.Publisher<byte[]> items) {
      return FeedItems.count(items).join();
    }
  }

  /** The rival's rounds are of two kinds, and the limit is about the faster ones. */
  private void tell(
      String name,
      Supplier<CompletableFuture<Integer>> ours,
      Supplier<CompletableFuture<Integer>> theirs,
      double limit)
      throws InterruptedException {
    double[] mine = new double[rounds];
    double[] rivals = new double[rounds];
    for (int round = -rounds; round < rounds; round++) {
      double one = mebibytesPerSecond(ours, items);
      double other = mebibytesPerSecond(theirs, items);
      if (round >= 0) {
        mine[round] = one;
        rivals[round] = other;
      }
    }
    Arrays.sort(mine);
    Arrays.sort(rivals);
    double good = rivals[rounds - 1 - rounds / 4];
    Beside both = Beside.of(mine[rounds / 2], "grpc, good rounds", good);
    board.tell(Row.atLeast("stream of 1 KiB, " + name, both, "MiB/s", limit));
  }

  static double mebibytesPerSecond(Supplier<CompletableFuture<Integer>> stream, int items)
      throws InterruptedException {
    long start = System.nanoTime();
    int _ = done(stream.get());
    return items * (double) FeedItems.BYTES / (1 << 20) / ((System.nanoTime() - start) / 1e9);
  }

  /** Waits for the end of a stream. */
  static <T> T done(CompletableFuture<T> stream) throws InterruptedException {
    try {
      return stream.get(TURN_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("a stream failed: " + e, e);
    }
  }
}
