package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
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

  @Test
  void compressionThatWasLeftOutIsNamedWithItsCure() {
    assertThatThrownBy(() -> VerbenaClient.builder().compressFromBytes(1024).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "compressFromBytes is set, and nothing on the class path compresses. Add"
                + " io.verbena:compression-lz4 to the class path.");
  }
}
