package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ReasonToStepAsideTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"spark.shuffle.service.enabled", "spark.authenticate", "spark.ssl.rpc.enabled"})
  void settingsThatSessionsDoNotKeepAreNamed(String setting) {
    SparkConf conf = new SparkConf(false).set(setting, "true");
    assertThat(VerbenaShuffleManager.reasonToStepAside(conf)).contains(setting);
  }

  @Test
  void otherwiseSessionsMoveTheBlocks() {
    assertThat(VerbenaShuffleManager.reasonToStepAside(new SparkConf(false))).isNull();
  }

  @Test
  void aPluginWithoutTheManagerIsTold() {
    SparkConf conf = new SparkConf(false);
    assertThat(VerbenaShuffleManager.reasonOfAbsence(conf))
        .contains("spark.shuffle.manager is sort", VerbenaShuffleManager.class.getName());
    conf.set("spark.shuffle.manager", VerbenaShuffleManager.class.getName());
    assertThat(VerbenaShuffleManager.reasonOfAbsence(conf)).isNull();
  }
}
