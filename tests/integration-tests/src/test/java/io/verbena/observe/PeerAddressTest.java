package io.verbena.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Peer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parts of a peer's address. */
class PeerAddressTest {
  @ParameterizedTest
  @CsvSource({
    "tcp://10.0.0.7:40112, 10.0.0.7, 40112",
    "tcp://[::1]:7400, ::1, 7400",
    "tcp://[::1], ::1, -1",
    "mem://house#3, house#3, -1",
    "tcp://host:odd, host, -1",
    "'', '', -1",
  })
  void hasAHostAndPerhapsAPort(String address, String host, int port) {
    assertThat(PeerAddress.of(new Peer(Peer.ANONYMOUS, address)))
        .isEqualTo(new PeerAddress(host, port));
  }
}
