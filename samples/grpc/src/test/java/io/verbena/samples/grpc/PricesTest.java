package io.verbena.samples.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.Test;

class PricesTest {
  @Test
  void areAskedForByOrdinaryStubs() throws Exception {
    Server server = PriceServer.start(0);
    try {
      String address = "localhost:" + server.getPort();
      assertThat(PriceClient.ask(address, "ACME")).hasSize(11).startsWith("last 400", "next 400");
      assertThatThrownBy(() -> PriceClient.ask(address, ""))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessage("INVALID_ARGUMENT: which symbol?");
    } finally {
      server.shutdownNow().awaitTermination();
    }
  }
}
