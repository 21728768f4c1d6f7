package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsOptions;
import org.junit.jupiter.api.Test;

/** Blocking callers over TCP with TLS. */
final class TlsSteppingCallersTest extends TcpSteppingCallersTest {
  private static TlsOptions tls13() {
    return TlsOptions.client(Identities.CLIENT.trusting(Identities.SERVER))
        .withVerifyHostName(false);
  }

  @Override
  protected VerbenaServer.Builder settings(VerbenaServer.Builder server) {
    return server.tls(TlsOptions.mutual(Identities.SERVER.trusting(Identities.CLIENT)));
  }

  @Override
  protected VerbenaClient.Builder settings(VerbenaClient.Builder client) {
    return super.settings(client).tls(tls13());
  }

  /** Its peer may begin a further handshake, with the trust managers of the user. */
  @Test
  void sessionsByTls12AreLeftToTheLoopsOwnThread() {
    TlsOptions tls12 =
        TlsOptions.client(Identities.CLIENT.trustingByTls12(Identities.SERVER))
            .withVerifyHostName(false);
    try (VerbenaClient client = super.settings(VerbenaClient.builder()).tls(tls12).build()) {
      assertThat(getsToStep(connected(client))).isFalse();
    }
  }
}
