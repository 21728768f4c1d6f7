package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.ClientAuthenticator.AuthenticationException;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsFiles;
import io.verbena.testkit.TestIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that wants TLS, a certificate and a token. */
@Timeout(60)
class SecureServerTest {
  @TempDir private static Path files;
  private static VerbenaServer server;

  @BeforeAll
  static void start() throws Exception {
    writeKey("other");
    writeKey("tls");
    Files.writeString(file("token"), "open sesame\n");
    Files.writeString(file("wrong-token"), "open barley\n");
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .path(PathPolicy.TCP_ONLY)
            .tls(
                TlsFiles.identity(file("tls.crt"), file("tls.key"))
                    .trusting(file("tls.crt"))
                    .mutual())
            .authenticator(
                client -> {
                  if (!client.token().equals("open sesame")) {
                    throw new AuthenticationException("that is no password");
                  }
                  return "ali";
                })
            .tellContracts(true)
            .start();
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static Path file(String name) {
    return files.resolve(name);
  }

  private static void writeKey(String name) throws IOException {
    TestIdentity.create("CN=" + name, "ip:127.0.0.1")
        .write(file(name + ".crt"), file(name + ".key"));
  }

  private static Shell.Run call(String token) {
    return Shell.call(
        server.address().getAuthority(),
        "--tls-ca=" + file("tls.crt"),
        "--tls-cert=" + file("tls.crt"),
        "--tls-key=" + file("tls.key"),
        "--token-file=" + file(token));
  }

  @Test
  void isCalledWithWhatItWants() {
    Shell.Run run = call("token");
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
  }

  @Test
  void refusesTheRest() {
    Shell.Run run = call("wrong-token");
    assertThat(run.err()).contains("UNAUTHENTICATED", "that is no password");
    assertThat(run.exit()).isEqualTo(1);
  }

  @Test
  void isNotAskedWithFilesThatAreNotThere() {
    Shell.Run run = call("no-token");
    assertThat(run.err()).contains("no-token");
    assertThat(run.exit()).isEqualTo(2);
    String address = server.address().getAuthority();
    Shell.Run untrusted = Shell.call(address, "--tls-ca=" + file("no.crt"));
    assertThat(untrusted.err()).contains("no.crt");
    assertThat(untrusted.exit()).isEqualTo(2);
  }

  @Test
  void isReachedByOptionsThatTheMessagesName() {
    String address = server.address().getAuthority();
    Shell.Run anonymous = Shell.call(address, "--tls-ca=" + file("tls.crt"));
    assertThat(anonymous.err()).contains("give one with --tls-cert and --tls-key");
    Shell.Run stranger = Shell.call(address, "--tls-ca=" + file("other.crt"));
    assertThat(stranger.err()).contains("name its issuer's certificate with --tls-ca");
    Shell.Run plain = Shell.call(address);
    assertThat(plain.err()).contains("--tls-ca");
    assertThat(anonymous.err() + stranger.err() + plain.err())
        .doesNotContain("SSLContext", "TlsFiles", "TLS options");
  }
}
