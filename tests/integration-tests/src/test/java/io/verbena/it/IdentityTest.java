package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.ClientAuthenticator;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.TestIdentity;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Callers are known by token or certificate; a server refuses unknown ones with a message. */
class IdentityTest {
  private static TestIdentity serversKey;
  private static TestIdentity alicesKey;

  @BeforeAll
  static void makeKeys() {
    serversKey = TestIdentity.create("CN=house", "ip:127.0.0.1");
    alicesKey = TestIdentity.create("CN=alice", "ip:127.0.0.1");
  }

  private static final ClientAuthenticator TOKENS =
      credentials -> {
        if (!credentials.token().equals("s3cret")) {
          throw new ClientAuthenticator.AuthenticationException("this token is not known here");
        }
        return "alice by token";
      };

  private static VerbenaServer server(UnaryOperator<VerbenaServer.Builder> settings) {
    return settings
        .apply(VerbenaServer.builder().listen("127.0.0.1:0").serve(HouseRpc.bind(new PlainHouse())))
        .start();
  }

  private static VerbenaServer.Builder tls(VerbenaServer.Builder server) {
    return server.tls(TlsOptions.server(serversKey.trusting()));
  }

  private static VerbenaServer.Builder mutualTls(VerbenaServer.Builder server) {
    return server.tls(TlsOptions.mutual(serversKey.trusting(alicesKey)));
  }

  private static VerbenaClient.Builder trustingClient() {
    return VerbenaClient.builder().tls(TlsOptions.client(TestIdentity.nobodyTrusting(serversKey)));
  }

  private static String identityOf(VerbenaServer server, VerbenaClient.Builder settings) {
    try (VerbenaClient client = settings.build();
        Session session = client.connect(server.address().toString())) {
      return HouseRpc.client(session).whoAmI();
    }
  }

  private static RpcException refusalOf(VerbenaServer server, VerbenaClient.Builder settings) {
    try (VerbenaClient client = settings.build()) {
      RpcException refusal =
          catchThrowableOfType(
              RpcException.class, () -> client.connect(server.address().toString()));
      assertThat(refusal).as("refusal").isNotNull();
      assertThat(refusal.execution()).isEqualTo(Execution.NOT_EXECUTED);
      return refusal;
    }
  }

  @Test
  void aHandlerReadsTheIdentityThatATokenProvedOverTls() throws Exception {
    try (VerbenaServer server = server(s -> tls(s).authenticator(TOKENS))) {
      assertThat(identityOf(server, trustingClient().token(() -> "s3cret")))
          .isEqualTo("alice by token");
    }
  }

  @Test
  void aWrongTokenIsRefusedInTheAuthenticatorsWords() throws Exception {
    try (VerbenaServer server = server(s -> tls(s).authenticator(TOKENS))) {
      RpcException refusal = refusalOf(server, trustingClient().token(() -> "guess"));
      assertThat(refusal.status()).isEqualTo(RpcStatus.UNAUTHENTICATED);
      assertThat(refusal).hasMessageContaining("this token is not known here");
    }
  }

  @Test
  void noTokenIsRefusedToo() {
    try (VerbenaServer server = server(s -> s.authenticator(TOKENS))) {
      RpcException refusal = refusalOf(server, VerbenaClient.builder());
      assertThat(refusal.status()).isEqualTo(RpcStatus.UNAUTHENTICATED);
    }
  }

  @Test
  void aCertificateIsAnIdentity() throws Exception {
    try (VerbenaServer server = server(IdentityTest::mutualTls)) {
      VerbenaClient.Builder alice =
          VerbenaClient.builder().tls(TlsOptions.client(alicesKey.trusting(serversKey)));
      assertThat(identityOf(server, alice)).isEqualTo("CN=alice");
    }
  }

  @Test
  void aClientWithoutACertificateIsRefusedWhereOneIsRequired() throws Exception {
    try (VerbenaServer server = server(IdentityTest::mutualTls)) {
      RpcException refusal = refusedAtOnce(server, trustingClient());
      assertThat(refusal).hasMessageContaining("requires a client certificate");
    }
  }

  @Test
  void norOneWithACertificateThatTheServerDoesNotTrust() throws Exception {
    try (VerbenaServer server = server(IdentityTest::mutualTls)) {
      refusedAtOnce(
          server, VerbenaClient.builder().tls(TlsOptions.client(serversKey.trusting(serversKey))));
    }
  }

  /** Returns how a server refuses who can only show the same again: after one connection. */
  private static RpcException refusedAtOnce(VerbenaServer server, VerbenaClient.Builder client) {
    AtomicInteger connections = new AtomicInteger();
    RpcException refusal =
        refusalOf(
            server,
            client.token(
                () -> {
                  connections.incrementAndGet();
                  return "";
                }));
    assertThat(refusal.status()).isEqualTo(RpcStatus.UNAUTHENTICATED);
    assertThat(refusal.mayRetry()).isFalse();
    assertThat(connections).as("connections").hasValue(1);
    return refusal;
  }

  @Test
  void aClientWithoutTlsIsToldThatTheServerWantsIt() {
    try (VerbenaServer server = server(IdentityTest::tls)) {
      RpcException refusal = refusalOf(server, VerbenaClient.builder());
      assertThat(refusal).hasMessageContaining("TLS");
    }
  }

  @Test
  void aClientThatDoesNotTrustTheServerSaysSo() throws Exception {
    try (VerbenaServer server = server(IdentityTest::tls)) {
      VerbenaClient.Builder stranger =
          VerbenaClient.builder().tls(TlsOptions.client(TestIdentity.nobodyTrusting(alicesKey)));
      assertThat(refusedAtOnce(server, stranger)).hasMessageContaining("TlsFiles.trust");
    }
  }
}
