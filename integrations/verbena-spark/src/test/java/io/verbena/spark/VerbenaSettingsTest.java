package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class VerbenaSettingsTest {
  private static SparkConf conf() {
    return new SparkConf(false).set("spark.verbena.bindAddress", "127.0.0.1");
  }

  @ParameterizedTest
  @CsvSource({
    "port, 99999",
    "port, -1",
    "memory, 1k",
    "memory, lots",
    "patience, 0s",
    "patience, soon",
    "stall, 1ms",
    "memroy, 1g",
    "bindAddress, ''"
  })
  void aWrongOneIsNamed(String name, String value) {
    SparkConf wrong = conf().set("spark.verbena." + name, value);
    assertThatThrownBy(() -> VerbenaSettings.of(wrong, "localhost"))
        .hasMessageContaining("spark.verbena." + name);
  }

  @Test
  void anAddressOfAnotherMachineIsNamed() {
    SparkConf elsewhere = conf().set("spark.verbena.bindAddress", "192.0.2.1");
    assertThatThrownBy(() -> start(elsewhere))
        .hasMessageContaining("spark.verbena.bindAddress 192.0.2.1");
  }

  @Test
  void aPortThatAnotherExecutorHasIsFollowedByTheNext() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      SparkConf same = conf().set("spark.verbena.port", "" + other.getLocalPort());
      ShuffleExchange started = start(same);
      try {
        assertThat(started.port()).isBetween(other.getLocalPort() + 1, other.getLocalPort() + 16);
      } finally {
        started.close();
      }
      assertThatThrownBy(() -> start(same.set("spark.port.maxRetries", "0")))
          .hasMessageContaining("spark.verbena.port " + other.getLocalPort());
    }
  }

  private static ShuffleExchange start(SparkConf conf) {
    return ShuffleExchange.start(
        VerbenaServer.builder(),
        VerbenaClient.builder(),
        VerbenaSettings.of(conf, "127.0.0.1"),
        new BlockHandler(
            () -> "application",
            "1",
            block -> {
              throw new AssertionError(block);
            }),
        executor -> null);
  }
}
