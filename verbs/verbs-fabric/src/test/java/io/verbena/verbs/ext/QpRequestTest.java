package io.verbena.verbs.ext;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QpRequestTest {
  @Test
  void aRequestHasFourPiecesUnlessTheDeviceHasFewer() {
    assertThat(QpRequest.pieces(1, 32)).isEqualTo(4);
    assertThat(QpRequest.pieces(1, 3)).isEqualTo(3);
    assertThat(QpRequest.pieces(5, 3)).as("refused by the device").isEqualTo(5);
  }
}
