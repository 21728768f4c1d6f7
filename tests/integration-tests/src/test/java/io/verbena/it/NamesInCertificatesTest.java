package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelTime;
import io.verbena.channel.DnsResolver;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsFiles;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.TestIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names that certificates have, and addresses that have none of them. */
class NamesInCertificatesTest {
  private static final TestIdentity STORE =
      TestIdentity.create("CN=store", "dns:store.example", "dns:*.store.example");

  @TempDir private static Path files;

  @BeforeAll
  static void write() throws Exception {
    STORE.writeTrusted(files.resolve("ca.crt"));
  }

  private static VerbenaServer server(TlsOptions tls) {
    return VerbenaServer.builder()
        .listen("127.0.0.1:0")
        .serve(HouseRpc.bind(new PlainHouse()))
        .tls(tls)
        .start();
  }

  private static VerbenaClient trusting() {
    return VerbenaClient.builder().tls(TlsFiles.trust(files.resolve("ca.crt")).client()).build();
  }

  /** Of a name that stands for the loopback address. */
  private static DnsResolver dns(String host, VerbenaServer server) {
    return new DnsResolver(
        host,
        server.address().getPort(),
        name -> List.of("127.0.0.1"),
        Runnable::run,
        ChannelTime.SYSTEM,
        Duration.ofSeconds(30),
        Duration.ofSeconds(1));
  }

  @Test
  void aServerIsWhoItsNameSaysWhereverThatLeads() {
    for (String name : List.of("store.example", "store.example.", "eu.store.example")) {
      try (VerbenaServer server = server(TlsOptions.server(STORE.trusting()));
          VerbenaClient client = trusting();
          BalancedChannel channel = BalancedChannel.builder(client, dns(name, server)).build()) {
        assertThat(HouseRpc.client(channel).add(41)).isEqualTo(42);
      }
    }
  }

  @Test
  void anotherNameIsRefusedWithBothAndTheCure() {
    try (VerbenaServer server = server(TlsOptions.server(STORE.trusting()));
        VerbenaClient client = trusting();
        BalancedChannel channel =
            BalancedChannel.builder(client, dns("bank.example", server)).build()) {
      assertThatThrownBy(() -> HouseRpc.client(channel).add(41))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("the server's certificate is not for 'bank.example'")
          .hasMessageContaining("DNS:store.example, DNS:*.store.example")
          .hasMessageContaining("authority");
    }
  }

  @Test
  void aChannelSaysWhichNameItExpects() {
    try (VerbenaServer server = server(TlsOptions.server(STORE.trusting()));
        VerbenaClient client = trusting();
        BalancedChannel channel =
            BalancedChannel.builder(client, "static:127.0.0.1:" + server.address().getPort())
                .authority("store.example")
                .build()) {
      assertThat(HouseRpc.client(channel).add(41)).isEqualTo(42);
    }
  }

  private static VerbenaClient showing(TestIdentity caller) {
    TlsOptions anyHost = TlsOptions.client(caller.trusting(STORE)).withVerifyHostName(false);
    return VerbenaClient.builder().tls(anyHost).build();
  }

  private static String whoIs(VerbenaClient client, VerbenaServer server) {
    try (Session session = client.connect(server.address().toString())) {
      return HouseRpc.client(session).whoAmI();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "CN=till, 'uri:spiffe://house/till,dns:till.example', spiffe://house/till",
    "CN=till, 'uri:https://till.example,dns:till.example', CN=till",
    "'', 'dns:till.example,uri:https://till.example', https://till.example",
    "'', 'email:till@house.example,dns:till.example', till.example",
  })
  void aCallerIsKnownByTheFirstOfItsNames(String subject, String names, String identity) {
    TestIdentity caller = TestIdentity.create(subject, names.split(","));
    try (VerbenaServer server = server(TlsOptions.mutual(STORE.trusting(caller)));
        VerbenaClient client = showing(caller)) {
      assertThat(whoIs(client, server)).isEqualTo(identity);
      assertThat(whoIs(client, server)).as("by a TLS session from before").isEqualTo(identity);
    }
  }

  @Test
  void aCallerWithoutAnyOfThemIsNobodyUnlessAnAuthenticatorKnowsIt() {
    TestIdentity caller = TestIdentity.create("", "email:till@house.example");
    TlsOptions mutual = TlsOptions.mutual(STORE.trusting(caller));
    try (VerbenaServer server = server(mutual);
        VerbenaClient client = showing(caller)) {
      assertThatThrownBy(() -> whoIs(client, server))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("UNAUTHENTICATED: the client's certificate has no subject");
    }
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(HouseRpc.bind(new PlainHouse()))
                .tls(mutual)
                .authenticator(shown -> shown.names().emails().getFirst())
                .start();
        VerbenaClient client = showing(caller)) {
      assertThat(whoIs(client, server)).isEqualTo("till@house.example");
    }
  }
}
