package io.verbena.spark;

import java.io.Serializable;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.spark.Dependency;
import org.apache.spark.HashPartitioner;
import org.apache.spark.Partition;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.serializer.KryoSerializer;
import scala.Product2;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * A job whose tasks read several partitions of a shuffle each, one by one and then in batches, as
 * Spark SQL does where it has coalesced small partitions.
 */
final class BatchedBlocks {
  private static final int ROWS = 20_000;
  private static final int PARTITIONS = 12;
  private static final int TASKS = 3;

  private BatchedBlocks() {}

  public static void main(String[] args) throws Exception {
    SparkConf conf = Clusters.conf().set("spark.serializer", KryoSerializer.class.getName());
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      AtomicLong blocks = new AtomicLong();
      AtomicLong remoteBlocks = new AtomicLong();
      spark
          .sc()
          .addSparkListener(
              new SparkListener() {
                @Override
                public void onTaskEnd(SparkListenerTaskEnd end) {
                  ShuffleReadMetrics read = end.taskMetrics().shuffleReadMetrics();
                  blocks.addAndGet(read.totalBlocksFetched());
                  remoteBlocks.addAndGet(read.remoteBlocksFetched());
                }
              });
      JavaPairRDD<Integer, Integer> shuffled =
          spark
              .parallelize(IntStream.range(0, ROWS).boxed().toList(), Clusters.PARTS)
              .mapToPair(row -> new Tuple2<>(row, row))
              .partitionBy(new HashPartitioner(PARTITIONS));
      Coalesced coalesced = new Coalesced(shuffled.rdd());
      for (boolean inBatches : new boolean[] {false, true}) {
        blocks.set(0);
        remoteBlocks.set(0);
        spark.setLocalProperty(
            "__fetch_continuous_blocks_in_batch_enabled", Boolean.toString(inBatches));
        List<Integer> came = coalesced.toJavaRDD().collect().stream().sorted().toList();
        spark.sc().listenerBus().waitUntilEmpty();
        System.out.printf(
            "%s: each row %s, %d blocks, %s%n",
            inBatches ? "in batches" : "one by one",
            came.equals(IntStream.range(0, ROWS).boxed().toList()) ? "once" : "NOT once",
            blocks.get(),
            remoteBlocks.get() > 0 ? "remote ones, too" : "none of them remote");
      }
      System.out.println("paths: " + Clusters.paths(spark));
    }
    System.exit(0);
  }

  /** Neighbouring partitions of a shuffle. */
  private record Range(int index) implements Partition, Serializable {
    int start() {
      return index * PARTITIONS / TASKS;
    }

    int end() {
      return (index + 1) * PARTITIONS / TASKS;
    }
  }

  private static final class Coalesced extends RDD<Integer> {
    private final ShuffleDependency<Integer, Integer, Integer> shuffle;

    Coalesced(RDD<Tuple2<Integer, Integer>> shuffled) {
      this(shuffled, dependency(shuffled));
    }

    private Coalesced(
        RDD<Tuple2<Integer, Integer>> shuffled,
        ShuffleDependency<Integer, Integer, Integer> shuffle) {
      super(
          shuffled.context(),
          CollectionConverters.asScala(List.<Dependency<?>>of(shuffle)).toSeq(),
          ClassTag$.MODULE$.apply(Integer.class));
      this.shuffle = shuffle;
    }

    @SuppressWarnings("unchecked")
    private static ShuffleDependency<Integer, Integer, Integer> dependency(RDD<?> shuffled) {
      return (ShuffleDependency<Integer, Integer, Integer>)
          ((ShuffledRDD<?, ?, ?>) (RDD<?>) shuffled).getDependencies().head();
    }

    @Override
    public Partition[] getPartitions() {
      return IntStream.range(0, TASKS).mapToObj(Range::new).toArray(Partition[]::new);
    }

    @Override
    public Iterator<Integer> compute(Partition partition, TaskContext context) {
      Range range = (Range) partition;
      Iterator<Product2<Integer, Integer>> rows =
          SparkEnv.get()
              .shuffleManager()
              .<Integer, Integer>getReader(
                  shuffle.shuffleHandle(),
                  range.start(),
                  range.end(),
                  context,
                  context.taskMetrics().createTempShuffleReadMetrics())
              .read();
      return rows.map(Product2::_2);
    }
  }
}
