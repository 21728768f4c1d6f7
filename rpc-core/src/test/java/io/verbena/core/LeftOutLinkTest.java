package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The core has no link of its own, and says which module has the one that is missing. */
class LeftOutLinkTest {
  @ParameterizedTest
  @CsvSource({"mem://orders, rpc-mem", "tcp://127.0.0.1:0, rpc-tcp-fallback"})
  void namesItsModule(String address, String module) {
    assertThatThrownBy(() -> VerbenaServer.builder().listen(address).start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Add io.verbena:" + module + " to the class path.");
  }
}
