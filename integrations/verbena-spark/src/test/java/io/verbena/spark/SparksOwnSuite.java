package io.verbena.spark;

import org.apache.spark.SortShuffleSuite;

/**
 * Spark's own tests of a shuffle and of a sort shuffle's files, in local clusters, with the manager
 * and the plugin set.
 */
public final class SparksOwnSuite extends SortShuffleSuite {
  @Override
  public void beforeAll() {
    super.beforeAll();
    conf()
        .set("spark.shuffle.manager", VerbenaShuffleManager.class.getName())
        .set("spark.plugins", VerbenaPlugin.class.getName() + "," + UpgradedFirst.class.getName())
        .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .set("spark.executor.extraJavaOptions", System.getProperty("verbena.spark.executor.args"))
        .set("spark.executorEnv.JAVA_HOME", System.getProperty("verbena.spark.executor.java"))
        .set("spark.shuffle.readHostLocalDisk", "false");
  }
}
