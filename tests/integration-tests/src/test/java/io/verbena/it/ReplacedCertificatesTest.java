package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsFiles;
import io.verbena.link.TlsOptions;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.testkit.TestIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys and certificates in files that are replaced while the program runs. */
class ReplacedCertificatesTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static TestIdentity first;
  private static TestIdentity second;

  @TempDir private Path directory;
  private Path certificate = Path.of("");
  private Path key = Path.of("");

  @BeforeAll
  static void makeKeys() {
    first = TestIdentity.create("CN=first", "ip:127.0.0.1");
    second = TestIdentity.create("CN=second", "ip:127.0.0.1");
  }

  @BeforeEach
  void write() throws Exception {
    certificate = directory.resolve("tls.crt");
    key = directory.resolve("tls.key");
    first.write(certificate, key);
  }

  private VerbenaServer server() {
    return VerbenaServer.builder()
        .listen("127.0.0.1:0")
        .serve(HouseRpc.bind(new PlainHouse()))
        .tls(TlsFiles.identity(certificate, key).server())
        .start();
  }

  private static VerbenaClient trusting(TestIdentity server) {
    return VerbenaClient.builder()
        .tls(TlsOptions.client(TestIdentity.nobodyTrusting(server)))
        .build();
  }

  private static boolean answers(VerbenaClient client, VerbenaServer server) {
    try (Session session = client.connect(server.address().toString())) {
      return HouseRpc.client(session).add(41) == 42;
    } catch (RpcException e) {
      assertThat(e).hasMessageContaining("trust");
      return false;
    }
  }

  private static long told() {
    return ThrottledLog.counts().getOrDefault("TLS files that cannot be used", 0L);
  }

  @Test
  void newConnectionsHaveTheNewOnesAndThoseThatStandGoOn() throws Exception {
    try (VerbenaServer server = server();
        VerbenaClient before = trusting(first);
        VerbenaClient after = trusting(second);
        Session stands = before.connect(server.address().toString())) {
      assertThat(answers(after, server)).as("before").isFalse();
      second.write(certificate, key);
      await().atMost(SOON).until(() -> answers(after, server));
      assertThat(answers(before, server)).as("who trusts the old one alone").isFalse();
      assertThat(HouseRpc.client(stands).add(41)).isEqualTo(42);
    }
  }

  @Test
  void aClientsTrustIsReplacedAsWell() throws Exception {
    Path trusted = directory.resolve("ca.crt");
    second.writeTrusted(trusted);
    try (VerbenaServer server = server();
        VerbenaClient client =
            VerbenaClient.builder().tls(TlsFiles.trust(trusted).client()).build()) {
      assertThat(answers(client, server)).isFalse();
      first.writeTrusted(trusted);
      await().atMost(SOON).until(() -> answers(client, server));
    }
  }

  /** Whom a server trusted once it does not know again by a TLS session of that time. */
  @Test
  void aServersTrustIsReplacedForThoseItKnewAsWell() throws Exception {
    Path trusted = directory.resolve("ca.crt");
    first.writeTrusted(trusted);
    TlsFiles files = TlsFiles.identity(certificate, key);
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(HouseRpc.bind(new PlainHouse()))
                .tls(files.trusting(trusted).mutual())
                .start();
        VerbenaClient client =
            VerbenaClient.builder().tls(files.trusting(certificate).client()).build()) {
      String address = server.address().toString();
      try (Session known = client.connect(address)) {
        assertThat(HouseRpc.client(known).add(41)).isEqualTo(42);
      }
      second.writeTrusted(trusted);
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> client.connect(address).close())
                      .isInstanceOf(RpcException.class));
    }
  }

  @Test
  void thoseBeforeAreUsedUntilTheNewOnesFitTogether() throws Exception {
    try (VerbenaServer server = server();
        VerbenaClient before = trusting(first);
        VerbenaClient after = trusting(second)) {
      long told = told();
      second.writeTrusted(certificate);
      await().atMost(SOON).until(() -> answers(before, server) && told() > told);
      Files.delete(key);
      assertThat(answers(before, server)).isTrue();
      second.write(certificate, key);
      await().atMost(SOON).until(() -> answers(after, server));
    }
  }

  @Test
  void whatStandsAroundAKeyIsForPeople() throws Exception {
    Files.writeString(key, "Schlüssel für Zürich\n" + Files.readString(key));
    try (VerbenaServer server = server();
        VerbenaClient client = trusting(first)) {
      assertThat(answers(client, server)).isTrue();
    }
  }

  @Test
  void optionsOfOneContextAreEqual() throws Exception {
    SSLContext context = TestIdentity.nobodyTrusting(first);
    assertThat(TlsOptions.client(context)).isEqualTo(TlsOptions.client(context));
  }

  @Test
  void whatCannotBeUsedAtTheStartIsToldWithTheCure() throws Exception {
    second.writeTrusted(certificate);
    assertThatThrownBy(this::server)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("%s is not that of the first certificate in %s", key, certificate);
    Files.writeString(key, "-----BEGIN PRIVATE KEY-----\nMII*=x\n-----END PRIVATE KEY-----\n");
    assertThatThrownBy(this::server).hasMessageContaining("%s has no key", key);
    Files.writeString(key, "-----BEGIN EC PRIVATE KEY-----\n");
    assertThatThrownBy(this::server).hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
    Files.delete(key);
    assertThatThrownBy(this::server).hasMessageContaining(key.toString());
    assertThatThrownBy(() -> TlsFiles.trust(certificate).server())
        .hasMessageContaining("TlsFiles.identity");
  }
}
