package io.verbena.spark;

import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.util.CompletionIterator;
import org.apache.spark.util.SystemClock;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/**
 * Reads one task's part of a shuffle. It does what Spark's {@code BlockStoreShuffleReader} of 4.2
 * does, which does not let its client be replaced: Spark's own iterator fetches and checks blocks,
 * and Spark's own aggregators and sorters take the records. Used by the task's thread alone.
 */
final class SessionShuffleReader<K, C> implements ShuffleReader<K, C> {
  private static final package$ CONFIG = package$.MODULE$;

  private final ShuffleDependency<K, ?, C> dependency;
  private final Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> wanted;
  private final SessionBlockClient client;
  private final boolean batches;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;
  private final SparkEnv spark = SparkEnv.get();

  /**
   * @param wanted the blocks by the executor that has them
   * @param batches whether blocks of neighbouring partitions may be fetched as one
   */
  SessionShuffleReader(
      BaseShuffleHandle<K, ?, C> handle,
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> wanted,
      SessionBlockClient client,
      boolean batches,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    this.dependency = handle.dependency();
    this.wanted = wanted;
    this.client = client;
    this.batches = batches;
    this.context = context;
    this.metrics = metrics;
  }

  @Override
  public Iterator<Product2<K, C>> read() {
    SerializerInstance serializer = dependency.serializer().newInstance();
    Iterator<Tuple2<Object, Object>> records =
        blocks().flatMap(block -> serializer.deserializeStream(block._2()).asKeyValueIterator());
    Iterator<Tuple2<Object, Object>> counted =
        records.map(
            read -> {
              metrics.incRecordsRead(1);
              return read;
            });
    Iterator<Tuple2<Object, Object>> completed =
        CompletionIterator.apply(
            counted,
            () -> {
              context.taskMetrics().mergeShuffleReadMetrics();
              return BoxedUnit.UNIT;
            });
    Iterator<Product2<K, C>> combined = combined(interruptible(completed));
    return combined instanceof InterruptibleIterator ? combined : interruptible(combined);
  }

  private <T> Iterator<T> interruptible(Iterator<T> iterator) {
    return new InterruptibleIterator<>(context, iterator);
  }

  /** Combines and sorts as the dependency says. Its types know more than the bytes. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private Iterator<Product2<K, C>> combined(Iterator records) {
    Option<Aggregator<K, ?, C>> aggregator = (Option) dependency.aggregator();
    boolean areCombined = dependency.mapSideCombine();
    if (dependency.keyOrdering().isDefined()) {
      Option merging =
          aggregator.isDefined() && areCombined
              ? Option.apply(merging(aggregator.get()))
              : aggregator;
      ExternalSorter sorter =
          new ExternalSorter(
              context,
              merging,
              Option.empty(),
              dependency.keyOrdering(),
              dependency.serializer(),
              dependency.rowBasedChecksums());
      return sorter.insertAllAndUpdateMetrics(records);
    }
    if (aggregator.isDefined()) {
      return areCombined
          ? aggregator.get().combineCombinersByKey(records, context)
          : aggregator.get().combineValuesByKey(records, context);
    }
    return records;
  }

  /** Takes combiners as values. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Aggregator<?, ?, ?> merging(Aggregator aggregator) {
    return new Aggregator<Object, Object, Object>(
        combiner -> combiner, aggregator.mergeCombiners(), aggregator.mergeCombiners());
  }

  private Iterator<Tuple2<BlockId, java.io.InputStream>> blocks() {
    return new ShuffleBlockFetcherIterator(
            context,
            client,
            spark.blockManager(),
            spark.mapOutputTracker(),
            wanted,
            spark.serializerManager()::wrapStream,
            VerbenaSettings.inFlight(spark.conf()),
            intOf(CONFIG.REDUCER_MAX_REQS_IN_FLIGHT()),
            intOf(CONFIG.REDUCER_MAX_BLOCKS_IN_FLIGHT_PER_ADDRESS()),
            longOf(CONFIG.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM()),
            intOf(CONFIG.SHUFFLE_MAX_ATTEMPTS_ON_NETTY_OOM()),
            is(CONFIG.SHUFFLE_DETECT_CORRUPT()),
            is(CONFIG.SHUFFLE_DETECT_CORRUPT_MEMORY()),
            is(CONFIG.SHUFFLE_CHECKSUM_ENABLED()),
            spark.conf().get(CONFIG.SHUFFLE_CHECKSUM_ALGORITHM()),
            metrics,
            batches && canConcatenate(),
            new SystemClock())
        .toCompletionIterator();
  }

  /** Returns whether the bytes of neighbouring blocks, one after the other, are those of one. */
  private boolean canConcatenate() {
    SparkConf conf = spark.conf();
    return dependency.serializer().supportsRelocationOfSerializedObjects()
        && (!is(CONFIG.SHUFFLE_COMPRESS())
            || CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(
                CompressionCodec.createCodec(conf)))
        && !is(CONFIG.SHUFFLE_USE_OLD_FETCH_PROTOCOL())
        && !is(CONFIG.IO_ENCRYPTION_ENABLED());
  }

  private long longOf(ConfigEntry<Object> entry) {
    return (Long) spark.conf().get(entry);
  }

  private int intOf(ConfigEntry<Object> entry) {
    return (Integer) spark.conf().get(entry);
  }

  private boolean is(ConfigEntry<Object> entry) {
    return (Boolean) spark.conf().get(entry);
  }
}
