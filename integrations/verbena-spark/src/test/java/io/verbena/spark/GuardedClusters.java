package io.verbena.spark;

import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.deploy.ExternalShuffleService;
import org.apache.spark.internal.config.package$;
import scala.Option;

/**
 * Jobs in clusters whose connections or files are guarded, or whose blocks a service has: each
 * argument is a name, then the properties of one cluster, as {@code
 * name,PROPERTY=VALUE,PROPERTY=VALUE}.
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
      ExternalShuffleService service = service(conf);
      service.startIfEnabled();
      try (JavaSparkContext spark = new JavaSparkContext(conf)) {
        System.out.println(
            words[0]
                + ": "
                + Clusters.words(Clusters.grouped(spark).collect())
                + ", paths "
                + Clusters.paths(spark));
      } finally {
        service.stop();
      }
    }
    System.exit(0);
  }

  /** It serves the blocks of all executors of this machine, where {@code conf} wants it. */
  private static ExternalShuffleService service(SparkConf conf) {
    return new ExternalShuffleService(
        conf, new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE()));
  }
}
