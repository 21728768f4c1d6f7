package io.verbena.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.storage.BlockManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Spark's sort shuffle, whose readers fetch blocks over Verbena's sessions: RDMA where both
 * executors have it, TCP otherwise. Name it in {@code spark.shuffle.manager}, together with {@link
 * VerbenaPlugin} in {@code spark.plugins}. It steps aside to Spark's own client, with one line in
 * the log, where Spark encrypts or authenticates its connections, where an external shuffle service
 * has the blocks, and where the plugin is missing. Safe for use by any thread.
 */
public final class VerbenaShuffleManager extends SortShuffleManager {
  private static final Logger LOG = LoggerFactory.getLogger(VerbenaShuffleManager.class);

  private final SparkConf conf;
  private @Nullable SessionBlockClient client;
  private boolean stepsAside;

  /** Makes the manager, as Spark does. */
  public VerbenaShuffleManager(SparkConf conf) {
    super(conf);
    this.conf = conf;
  }

  /** Returns why blocks stay with Spark's client under these settings; null if they do not. */
  static @Nullable String reasonToStepAside(SparkConf conf) {
    if (conf.getBoolean("spark.shuffle.service.enabled", false)) {
      return "the external shuffle service has them (spark.shuffle.service.enabled)";
    }
    if (conf.getBoolean("spark.authenticate", false)) {
      return "Spark authenticates its connections (spark.authenticate)";
    }
    if (conf.getBoolean("spark.ssl.rpc.enabled", false)) {
      return "Spark encrypts its connections (spark.ssl.rpc.enabled)";
    }
    return null;
  }

  /** Returns why this manager reads no blocks in an application; null if it does. */
  static @Nullable String reasonOfAbsence(SparkConf conf) {
    String manager = conf.get("spark.shuffle.manager", "sort");
    String own = VerbenaShuffleManager.class.getName();
    return manager.equals(own)
        ? null
        : "spark.shuffle.manager is %s; set it to %s".formatted(manager, own);
  }

  @Override
  public <K, C> ShuffleReader<K, C> getReader(
      ShuffleHandle handle,
      int startMap,
      int endMap,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    @SuppressWarnings("unchecked")
    BaseShuffleHandle<K, ?, C> shuffle = (BaseShuffleHandle<K, ?, C>) handle;
    SessionBlockClient blocks = client();
    if (blocks == null || shuffle.dependency().isShuffleMergeFinalizedMarked()) {
      return super.getReader(
          handle, startMap, endMap, startPartition, endPartition, context, metrics);
    }
    return new SessionShuffleReader<>(
        shuffle,
        SparkEnv.get()
            .mapOutputTracker()
            .getMapSizesByExecutorId(
                handle.shuffleId(), startMap, endMap, startPartition, endPartition),
        blocks,
        canUseBatchFetch(startPartition, endPartition, context),
        context,
        metrics);
  }

  private synchronized @Nullable SessionBlockClient client() {
    if (client == null && !stepsAside) {
      ShuffleExchange exchange = ShuffleExchange.current();
      if (exchange == null) {
        stepsAside = true;
        String reason = reasonToStepAside(conf);
        LOG.warn(
            "Shuffle blocks stay with Spark's own client: {}",
            reason == null
                ? "no plugin is there; set spark.plugins to " + VerbenaPlugin.class.getName()
                : reason);
      } else {
        TransportConf transport =
            SparkTransportConf.fromSparkConf(
                conf,
                "shuffle",
                Runtime.getRuntime().availableProcessors(),
                Option.empty(),
                Option.empty());
        BlockManager manager = SparkEnv.get().blockManager();
        client =
            new SessionBlockClient(
                exchange,
                conf.getAppId(),
                manager.blockStoreClient(),
                () -> manager.diskBlockManager().createTempLocalBlock()._2().toPath(),
                transport);
      }
    }
    return client;
  }
}
