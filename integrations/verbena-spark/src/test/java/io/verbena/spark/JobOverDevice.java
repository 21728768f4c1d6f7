package io.verbena.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** A job whose blocks go over the path of {@code verbena.upgrade} from the first one on. */
final class JobOverDevice {
  private JobOverDevice() {}

  public static void main(String[] args) {
    SparkConf conf =
        Clusters.conf()
            .set("spark.scheduler.maxRegisteredResourcesWaitingTime", "8m")
            .set(
                "spark.plugins",
                VerbenaPlugin.class.getName() + "," + UpgradedFirst.class.getName());
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      System.out.println("rows: " + Clusters.words(Clusters.grouped(spark).collect()));
      System.out.println("paths: " + Clusters.paths(spark));
    }
    System.exit(0);
  }
}
