package io.verbena.spark;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the exchange of shuffle blocks in each executor, and tells executors each other's
 * addresses by way of the driver. Name it in {@code spark.plugins}, together with {@link
 * VerbenaShuffleManager} in {@code spark.shuffle.manager}.
 */
public final class VerbenaPlugin implements SparkPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(VerbenaPlugin.class);

  /** Makes the plugin, as Spark does. */
  public VerbenaPlugin() {}

  @Override
  public DriverPlugin driverPlugin() {
    return new Directory();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Member();
  }

  /**
   * Returns the path to each executor from which this one has fetched blocks, by its id: the kind
   * of link, and the reason for it. Empty where blocks stay with Spark's own client. Call it in a
   * task.
   */
  public static Map<String, String> paths() {
    ShuffleExchange exchange = ShuffleExchange.current();
    return exchange == null ? Map.of() : exchange.paths();
  }

  /** An executor's message to the driver: where it serves its blocks. */
  private record Here(String executor, String address) implements Serializable {}

  /** An executor's question to the driver: where another one serves its blocks. */
  private record Where(String executor) implements Serializable {}

  /** The addresses of all executors, at the driver. */
  private static final class Directory implements DriverPlugin {
    private final Map<String, String> addresses = new ConcurrentHashMap<>();

    @Override
    public Map<String, String> init(SparkContext spark, PluginContext context) {
      VerbenaSettings _ = VerbenaSettings.of(context.conf(), ""); // a wrong one ends the job now
      return Map.of();
    }

    @Override
    public @Nullable Object receive(Object message) {
      return switch (message) {
        case Here(String executor, String address) -> addresses.put(executor, address);
        case Where(String executor) -> addresses.get(executor);
        default -> throw new IllegalArgumentException("not a message of Verbena's: " + message);
      };
    }
  }

  /** An executor's part. */
  private static final class Member implements ExecutorPlugin {
    private @Nullable ShuffleExchange exchange;

    @Override
    public void init(PluginContext context, Map<String, String> extra) {
      if (VerbenaShuffleManager.reasonToStepAside(context.conf()) != null) {
        return; // the manager tells
      }
      String absent = VerbenaShuffleManager.reasonOfAbsence(context.conf());
      if (absent != null) {
        LOG.warn("Shuffle blocks stay with Spark's own client: {}", absent);
        return;
      }
      String host = host();
      ShuffleExchange started =
          ShuffleExchange.start(
              VerbenaServer.builder(),
              VerbenaClient.builder(),
              VerbenaSettings.of(context.conf(), host),
              new BlockHandler(
                  () -> SparkEnv.get().conf().getAppId(),
                  context.executorID(),
                  block -> SparkEnv.get().blockManager().getLocalBlockData(block)),
              executor -> (String) ask(context, new Where(executor)));
      exchange = started;
      started.register(context.metricRegistry());
      String address = host + ":" + started.port();
      ask(context, new Here(context.executorID(), address));
      LOG.info("Executor {} serves shuffle blocks at {}", context.executorID(), address);
    }

    /**
     * Returns where others reach this executor's blocks. It is not {@code context.hostname()},
     * which Spark 4.2.0 cannot tell on executors.
     */
    private static String host() {
      BlockManagerId own = SparkEnv.get().blockManager().blockManagerId();
      return own == null ? Utils.localHostName() : own.host();
    }

    private static @Nullable Object ask(PluginContext context, Object message) {
      try {
        return context.ask(message);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while the driver was asked", e);
      } catch (Exception e) {
        throw new IllegalStateException("the driver does not answer " + message, e);
      }
    }

    @Override
    public void shutdown() {
      if (exchange != null) {
        exchange.close();
      }
    }
  }
}
