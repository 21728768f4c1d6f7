package io.verbena.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Jobs in clusters whose connections or files are guarded: each argument is a name, then the
 * properties of one cluster, as {@code name,PROPERTY=VALUE,PROPERTY=VALUE}.
 */
final class GuardedClusters {
  private GuardedClusters() {}

  public static void main(String[] args) {
    for (String cluster : args) {
      String[] words = cluster.split(",", -1);
      SparkConf conf = Clusters.conf();
      for (int i = 1; i < words.length; i++) {
        String[] property = words[i].split("=", 2);
        conf.set(property[0], property[1]);
      }
      try (JavaSparkContext spark = new JavaSparkContext(conf)) {
        System.out.println(
            words[0]
                + ": "
                + Clusters.words(Clusters.grouped(spark).collect())
                + ", paths "
                + Clusters.paths(spark));
      }
    }
    System.exit(0);
  }
}
