package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.link.TlsFiles;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.TestIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys and certificates in files as people have them. */
class TlsFilesTest {
  private static final TestIdentity HOUSE = TestIdentity.create("CN=house", "ip:127.0.0.1");
  private static final TestIdentity OTHER = TestIdentity.create("CN=other", "ip:127.0.0.1");

  @TempDir private Path directory;
  private Path certificate = Path.of("");
  private Path key = Path.of("");
  private Path trusted = Path.of("");

  @BeforeEach
  void write() throws IOException {
    certificate = directory.resolve("tls.crt");
    key = directory.resolve("tls.key");
    trusted = directory.resolve("ca.crt");
    HOUSE.write(certificate, key);
    HOUSE.writeTrusted(trusted);
  }

  private TlsFiles files() {
    return TlsFiles.identity(certificate, key).trusting(trusted);
  }

  /** Something that people and programs do to a file. */
  @FunctionalInterface
  private interface Mishap {
    void to(Path file) throws IOException;
  }

  private static Mishap content(String content) {
    return file -> Files.writeString(file, content);
  }

  private static Mishap edit(String before, String after) {
    return file -> Files.writeString(file, Files.readString(file).replaceFirst(before, after));
  }

  static Stream<Arguments> mishaps() {
    List<Arguments> each =
        List.of(
            Arguments.of("it is not there", (Mishap) Files::delete),
            Arguments.of(
                "it is a directory",
                (Mishap)
                    file -> {
                      Files.delete(file);
                      Files.createDirectory(file);
                    }),
            Arguments.of("it is empty", content("")),
            Arguments.of("it is no PEM file", content("Sehr geehrte Damen und Herren")),
            Arguments.of("its block is empty", edit("(?s)-----\n.*\n-----", "-----\n-----")),
            Arguments.of("it has a stray character", edit("-----\n...", "-----\n*\u00e4-")),
            Arguments.of("its end is missing", edit("(?s)....\n-----END.*", "")),
            Arguments.of("it is cut short", edit("(?s)(-----\n.{40}).*(\n-----END)", "$1$2")));
    return Stream.of("tls.crt", "tls.key", "ca.crt")
        .flatMap(name -> each.stream().map(one -> Arguments.of(name, one.get()[0], one.get()[1])));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("mishaps")
  void whateverIsWrongWithAFileIsToldWithItsNameAlone(String name, String what, Mishap mishap)
      throws IOException {
    Path file = directory.resolve(name);
    mishap.to(file);
    assertThatThrownBy(() -> files().mutual())
        .as(what)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(
            e ->
                assertThat(String.valueOf(e.getMessage()).replace(file.toString(), "<it>"))
                    .contains("<it>")
                    .doesNotContain(directory.toString()));
  }

  @Test
  void aKeyOfAnotherCertificateIsToldWithBoth() throws IOException {
    OTHER.write(directory.resolve("other.crt"), key);
    assertThatThrownBy(() -> files().mutual())
        .hasMessageContaining(
            "the key in %s is not that of the first certificate in %s", key, certificate);
  }

  static List<Charset> charsets() {
    return List.of(StandardCharsets.ISO_8859_1, StandardCharsets.UTF_8, StandardCharsets.UTF_16);
  }

  @ParameterizedTest
  @MethodSource("charsets")
  void whatStandsAroundBlocksIsForPeople(Charset charset) throws IOException {
    for (Path file : List.of(certificate, key, trusted)) {
      byte[] comment = "Schl\u00fcssel f\u00fcr Z\u00fcrich\r\n".getBytes(charset);
      byte[] block =
          Files.readString(file).replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII);
      Files.write(file, comment);
      Files.write(file, block, StandardOpenOption.APPEND);
      Files.write(file, comment, StandardOpenOption.APPEND);
    }
    assertThat(files().mutual().context()).isNotNull();
  }

  @Test
  void optionsOfTheSameAreEqual() {
    TlsFiles files = files();
    assertThat(files.mutual()).isEqualTo(files.mutual()).hasSameHashCodeAs(files.mutual());
    assertThat(TlsOptions.client(files.get())).isEqualTo(TlsOptions.client(files.get()));
  }

  /** With another TLS session than before, each end looks at the other's certificate. */
  @Test
  void tlsSessionsAreResumedUntilAFileIsReplaced() throws Exception {
    TlsOptions server = files().mutual();
    TlsOptions client = files().client();
    try (SSLServerSocket listening =
        (SSLServerSocket)
            server
                .context()
                .getServerSocketFactory()
                .createServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      listening.setNeedClientAuth(true);
      Thread.ofVirtual().start(() -> answer(listening));
      int port = listening.getLocalPort();
      shake(client, port).putValue("mark", "of the first");
      assertThat(shake(client, port).getValue("mark")).isEqualTo("of the first");
      Files.writeString(trusted, "# once more\n" + Files.readString(trusted));
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() -> assertThat(shake(client, port).getValue("mark")).isNull());
    }
  }

  private static void answer(SSLServerSocket listening) {
    while (!listening.isClosed()) {
      try (SSLSocket accepted = (SSLSocket) listening.accept()) {
        accepted.getOutputStream().write(1); // behind the ticket
      } catch (IOException e) {
        // The test is over, or fails on its own side.
      }
    }
  }

  private static SSLSession shake(TlsOptions client, int port) throws IOException {
    try (SSLSocket socket =
        (SSLSocket) client.context().getSocketFactory().createSocket("127.0.0.1", port)) {
      assertThat(socket.getInputStream().read()).isEqualTo(1);
      return socket.getSession();
    }
  }
}
