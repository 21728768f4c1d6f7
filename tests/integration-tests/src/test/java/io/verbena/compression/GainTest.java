package io.verbena.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.stat.CompressionStat;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.Stats;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Prints what compression brings and costs on this machine: of another it says little. */
@Tag("long")
class GainTest {
  private static final int OUTSTANDING = 8;
  private static final int ROUNDS = 5;
  private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** An array of customers in JSON. */
  private static String customers(int length) {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder("[");
    for (int id = 0; text.length() < length; id++) {
      text.append(
          "{\"id\":%d,\"name\":\"customer %d\",\"active\":%b,\"balance\":%d.%02d},"
              .formatted(
                  id,
                  random.nextInt(100_000),
                  random.nextBoolean(),
                  random.nextInt(10_000),
                  random.nextInt(100)));
    }
    return text.substring(0, length);
  }

  /** Two ends that compress, or two that do not. */
  private record Pair(VerbenaServer server, VerbenaClient client, Session session)
      implements AutoCloseable {
    static Pair open(boolean compressed) throws Exception {
      VerbenaServer.Builder server =
          VerbenaServer.builder().listen("127.0.0.1:0").serve(LibraryRpc.bind(new PlainLibrary()));
      VerbenaClient.Builder client = VerbenaClient.builder();
      if (compressed) {
        server.compressFromBytes(1024);
        client.compressFromBytes(1024);
      }
      VerbenaServer started = server.start();
      VerbenaClient built = client.build();
      return new Pair(started, built, built.connect(started.address().toString()));
    }

    double callsPerSecond(String text) throws Exception {
      LibraryRpc.Async stub = LibraryRpc.async(session);
      List<CompletableFuture<String>> calls = new ArrayList<>();
      long begin = System.nanoTime();
      int done = 0;
      while (System.nanoTime() - begin < ROUND_NANOS) {
        while (calls.size() < OUTSTANDING) {
          calls.add(stub.copy(text).toCompletableFuture());
        }
        assertThat(calls.removeFirst().get()).hasSameSizeAs(text);
        done++;
      }
      return done * 1e9 / (System.nanoTime() - begin);
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }

  @Test
  void callsOfSixteenKibibytes() throws Exception {
    String text = customers(16 << 10);
    try (Pair plain = Pair.open(false);
        Pair compressed = Pair.open(true)) {
      List<Double> without = new ArrayList<>();
      List<Double> with = new ArrayList<>();
      for (int i = 0; i <= ROUNDS; i++) { // the first one warms up
        without.add(plain.callsPerSecond(text));
        with.add(compressed.callsPerSecond(text));
      }
      CompressionStat stat = ofClients();
      System.out.printf(
          "%,d bytes become %,d; calls/s without %s, with %s%n",
          stat.plainBytes() / stat.messages(),
          stat.bytes() / stat.messages(),
          figures(without.subList(1, without.size())),
          figures(with.subList(1, with.size())));
    }
  }

  private static CompressionStat ofClients() {
    return Stats.engines().stream()
        .filter(one -> one.name().equals("client"))
        .map(EngineStat::compression)
        .filter(stat -> stat != null)
        .findFirst()
        .orElseThrow();
  }

  private static String figures(List<Double> rounds) {
    List<Double> sorted = rounds.stream().sorted().toList();
    return "%,.0f (%,.0f to %,.0f)"
        .formatted(sorted.get(sorted.size() / 2), sorted.getFirst(), sorted.getLast());
  }
}
