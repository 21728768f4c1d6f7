package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A slip in an address is told where it was written, and never becomes a server that is down. */
class AddressesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.0.0.1:99999",
        "127.0.0.1:",
        "127.0.0.1:http",
        "127.0.0.1:7501;127.0.0.1:7502",
        "tcp://store",
        "::1",
        "::",
        "",
        "two words:1"
      })
  void aMalformedOneIsRefusedAtOnce(String address) {
    try (VerbenaClient client = VerbenaClient.builder().build()) {
      assertThatThrownBy(() -> client.connect(address))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + address + "' is not an address: write host:port");
      assertThatThrownBy(() -> client.session(address))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> client.checkAddress(address))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"store:7400", "tcp://10.0.0.7:65535", "[::1]:0", "a_b.c-d:1", "mem://name"})
  void aGoodOneIsNot(String address) {
    assertThat(Addresses.parse(address).toString()).endsWith(address);
  }
}
