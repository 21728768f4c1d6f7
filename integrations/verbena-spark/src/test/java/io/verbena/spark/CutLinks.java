package io.verbena.spark;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.abuse.ThrottledProxy;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * A job whose executors fetch over lines that are cut again and again. As a plugin it stands in for
 * {@link VerbenaPlugin}, whose executors are reached directly.
 */
public final class CutLinks implements SparkPlugin {
  private static final int EXECUTORS = 5;
  private static final int CUTS = 100;
  private static final int ROWS = 30_000;
  private static final int ROW_BYTES = 1000;

  /** How many bytes an executor serves between two cuts of all of its links. */
  private static final long CUT_EVERY = 1_000_000;

  /** At the driver: the connections that executors have accepted. */
  private static final Map<String, Integer> CONNECTIONS = new ConcurrentHashMap<>();

  private record Here(String executor, String address) implements Serializable {}

  private record Where(String executor) implements Serializable {}

  private record Accepted(String executor, int connections) implements Serializable {}

  public static void main(String[] args) {
    try (JavaSparkContext spark =
        new JavaSparkContext(
            Clusters.conf()
                .setMaster("local-cluster[" + EXECUTORS + ",1,512]")
                .set("spark.cores.max", Integer.toString(EXECUTORS))
                .set("spark.executor.memory", "512m")
                .set("spark.plugins", CutLinks.class.getName())
                .set("spark.shuffle.compress", "false")
                .set("spark.verbena.patience", "20s"))) {
      JavaRDD<Integer> rows =
          spark
              .parallelize(IntStream.range(0, ROWS).boxed().toList(), 2 * EXECUTORS)
              .mapToPair(row -> new Tuple2<>(row, content(row)))
              .partitionBy(new HashPartitioner(2 * EXECUTORS))
              .map(
                  row -> {
                    if (!Arrays.equals(row._2(), content(row._1()))) {
                      throw new IllegalStateException("other bytes than were sent");
                    }
                    return row._1();
                  });
      while (cutLinks() < CUTS) {
        List<Integer> came = new ArrayList<>(rows.collect());
        came.sort(null);
        boolean once = came.equals(IntStream.range(0, ROWS).boxed().toList());
        System.out.printf("%d links cut, each row %s%n", cutLinks(), once ? "once" : "NOT once");
      }
    }
    System.exit(0);
  }

  /** All links but those of the beginning stand for one that was cut. */
  private static int cutLinks() {
    int all = CONNECTIONS.values().stream().mapToInt(Integer::intValue).sum();
    return Math.max(0, all - EXECUTORS * (EXECUTORS - 1));
  }

  private static byte[] content(int row) {
    byte[] bytes = new byte[ROW_BYTES];
    new Random(row).nextBytes(bytes);
    return bytes;
  }

  @Override
  public DriverPlugin driverPlugin() {
    Map<String, String> addresses = new ConcurrentHashMap<>();
    return new DriverPlugin() {
      @Override
      public Map<String, String> init(SparkContext spark, PluginContext context) {
        return Map.of();
      }

      @Override
      public @Nullable Object receive(Object message) {
        return switch (message) {
          case Here(String executor, String address) -> addresses.put(executor, address);
          case Where(String executor) -> addresses.get(executor);
          case Accepted(String executor, int connections) -> CONNECTIONS.put(executor, connections);
          default -> throw new IllegalArgumentException(message.toString());
        };
      }
    };
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Member();
  }

  private static final class Member implements ExecutorPlugin {
    private final ScheduledExecutorService clock =
        Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
    private long cutAt = CUT_EVERY;
    private int told;

    @Override
    public void init(PluginContext context, Map<String, String> extra) {
      String executor = context.executorID();
      ShuffleExchange exchange =
          ShuffleExchange.start(
              VerbenaServer.builder(),
              VerbenaClient.builder(),
              VerbenaSettings.of(context.conf(), "127.0.0.1"),
              new BlockHandler(
                  () -> SparkEnv.get().conf().getAppId(),
                  executor,
                  block -> SparkEnv.get().blockManager().getLocalBlockData(block)),
              other -> (String) ask(context, new Where(other)));
      try {
        ThrottledProxy line =
            new ThrottledProxy(URI.create("tcp://127.0.0.1:" + exchange.port()), 8_000_000_000L);
        ask(context, new Here(executor, line.address()));
        clock.scheduleWithFixedDelay(
            () -> cut(context, executor, line), 1, 1, TimeUnit.MILLISECONDS);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void cut(PluginContext context, String executor, ThrottledProxy line) {
      if (line.bytesToClients() > cutAt) {
        cutAt = line.bytesToClients() + CUT_EVERY;
        line.cut();
      }
      if (line.connections() != told) {
        told = line.connections();
        ask(context, new Accepted(executor, told));
      }
    }

    private static @Nullable Object ask(PluginContext context, Object message) {
      try {
        return context.ask(message);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void shutdown() {
      clock.shutdownNow();
      ShuffleExchange exchange = ShuffleExchange.current();
      if (exchange != null) {
        exchange.close();
      }
    }
  }
}
