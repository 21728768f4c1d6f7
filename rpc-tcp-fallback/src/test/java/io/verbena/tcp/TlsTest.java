package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.CertificateNames;
import io.verbena.link.Link;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.SteppedLinks;
import io.verbena.testkit.TestIdentity;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("TLS on a TCP link")
final class TlsTest {
  private static final TlsOptions TRUSTING_CLIENT =
      TlsOptions.client(TestIdentity.nobodyTrusting(Identities.SERVER));
  private static final TlsOptions SERVER = TlsOptions.server(Identities.SERVER.trusting());
  private static final TlsOptions MUTUAL_SERVER =
      TlsOptions.mutual(Identities.SERVER.trusting(Identities.CLIENT));

  private static SteppedLinks start(@Nullable TlsOptions client, @Nullable TlsOptions server)
      throws LinkException {
    return new SteppedLinks(
        new TcpHarness(Transport.best(), null, null, 0), options(client), options(server));
  }

  private static LinkOptions options(@Nullable TlsOptions tls) {
    return LinkOptions.of(1000, Duration.ofSeconds(5), tls);
  }

  @Test
  void saysThatTheLinkIsEncryptedAndHow() throws LinkException {
    try (SteppedLinks links = start(TRUSTING_CLIENT, SERVER)) {
      SteppedLinks.Pair pair = links.open();
      assertThat(pair.client().link().capabilities().encrypted()).isTrue();
      assertThat(pair.client().link().capabilities().detail()).startsWith("TLS_");
      assertThat(pair.server().link().capabilities().encrypted()).isTrue();
    }
  }

  @Test
  void tellsEachEndWhoTheOtherIs() throws LinkException {
    TlsOptions client = TlsOptions.client(Identities.CLIENT.trusting(Identities.SERVER));
    try (SteppedLinks links = start(client, MUTUAL_SERVER)) {
      SteppedLinks.Pair pair = links.open();
      assertThat(seenBy(pair.client().link()).subject()).isEqualTo("CN=server");
      assertThat(seenBy(pair.client().link()).dnsNames()).containsExactly("localhost");
      assertThat(seenBy(pair.server().link()).subject()).isEqualTo("CN=client");
    }
  }

  @Test
  void leavesAClientWithoutCertificateUnnamedWhereNoneIsRequired() throws LinkException {
    try (SteppedLinks links = start(TRUSTING_CLIENT, SERVER)) {
      assertThat(links.open().server().link().peerCertificates()).isEmpty();
    }
  }

  @Test
  void acceptsAServerByAnyNameThatItsCertificateHolds() throws LinkException {
    try (SteppedLinks links = start(TRUSTING_CLIENT, SERVER)) {
      URI byName = URI.create("tcp://localhost:" + links.listening().address().getPort());
      assertThat(seenBy(links.connect(byName).end().link()).subject()).isEqualTo("CN=server");
    }
  }

  private static CertificateNames seenBy(Link link) {
    return CertificateNames.of(link.peerCertificates());
  }

  @Test
  void comparesTheCertificateWithTheAuthorityInPlaceOfTheAddress() throws LinkException {
    TlsOptions client = TlsOptions.client(TestIdentity.nobodyTrusting(Identities.STRANGER));
    try (SteppedLinks links = start(client, TlsOptions.server(Identities.STRANGER.trusting()))) {
      URI address = links.listening().address();
      links.connect(address, options(client).withAuthority("elsewhere.example")).end();
      assertThat(links.connect(address, options(client).withAuthority("localhost")).failure())
          .hasMessageContaining("is not for 'localhost'");
    }
  }

  @Test
  void asksTheServerForTheAuthority() throws Exception {
    SSLContext elsewhere = Identities.STRANGER.trusting();
    TlsOptions client = TlsOptions.client(TestIdentity.nobodyTrusting(Identities.STRANGER));
    CompletableFuture<String> asked = new CompletableFuture<>();
    try (SSLServerSocket server =
            (SSLServerSocket)
                elsewhere
                    .getServerSocketFactory()
                    .createServerSocket(0, 5, InetAddress.getLoopbackAddress());
        SteppedLinks links = start(client, SERVER)) {
      Thread.ofVirtual().start(() -> tellWhoIsAskedFor(server, asked));
      URI address = URI.create("tcp://127.0.0.1:" + server.getLocalPort());
      links.connect(address, options(client).withAuthority("elsewhere.example")).end();
      assertThat(asked).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("elsewhere.example");
    }
  }

  private static void tellWhoIsAskedFor(SSLServerSocket server, CompletableFuture<String> asked) {
    try (SSLSocket accepted = (SSLSocket) server.accept()) {
      accepted.startHandshake();
      var session = (ExtendedSSLSession) accepted.getSession();
      asked.complete(((SNIHostName) session.getRequestedServerNames().getFirst()).getAsciiName());
    } catch (IOException | RuntimeException e) {
      asked.completeExceptionally(e);
    }
  }

  @Test
  void refusesAServerThatTheClientDoesNotTrust() throws LinkException {
    TlsOptions distrusting = TlsOptions.client(TestIdentity.nobodyTrusting(Identities.STRANGER));
    try (SteppedLinks links = start(distrusting, SERVER)) {
      assertThat(failure(links)).contains("not trusted").contains("TlsFiles.trust(");
      assertThat(links.connect(links.listening().address()).failure().isUntrusted()).isTrue();
    }
  }

  @Test
  void refusesAServerWhoseCertificateIsForAnotherHost() throws LinkException {
    TlsOptions client = TlsOptions.client(TestIdentity.nobodyTrusting(Identities.STRANGER));
    TlsOptions elsewhere = TlsOptions.server(Identities.STRANGER.trusting());
    try (SteppedLinks links = start(client, elsewhere)) {
      assertThat(failure(links)).contains("is not for '127.0.0.1'");
    }
  }

  @Test
  void acceptsAnyHostWhereTheClientSaysSo() throws LinkException {
    var client = TlsOptions.server(TestIdentity.nobodyTrusting(Identities.STRANGER));
    TlsOptions elsewhere = TlsOptions.server(Identities.STRANGER.trusting());
    try (SteppedLinks links = start(client, elsewhere)) {
      links.open();
    }
  }

  @Test
  void tellsAClientWithoutCertificateThatOneIsRequired() throws LinkException {
    assertThat(reasonAgainst(TRUSTING_CLIENT)).contains("requires a client certificate");
  }

  @Test
  void tellsAClientWithAnUntrustedCertificateThatItIsNot() throws LinkException {
    TlsOptions stranger = TlsOptions.client(Identities.STRANGER.trusting(Identities.SERVER));
    assertThat(reasonAgainst(stranger)).contains("certificate");
  }

  /** With TLS 1.3 a client has a link before the server has judged its certificate. */
  private static String reasonAgainst(TlsOptions client) throws LinkException {
    try (SteppedLinks links = start(client, MUTUAL_SERVER)) {
      var outcome = links.startConnecting(links.listening().address(), options(client));
      links.stepUntil("the outcome", outcome::isKnown);
      var end = outcome.end();
      end.sendNow(new byte[100]);
      links.stepUntil("the link to end", () -> end.heard().isClosed());
      return end.heard().closedReason();
    }
  }

  @Test
  void tellsAPlaintextClientThatTlsIsExpected() throws LinkException {
    try (SteppedLinks links = start(null, SERVER)) {
      var end = links.connect(links.listening().address()).end();
      end.sendNow(new byte[100]);
      links.stepUntil("the link to end", () -> end.heard().isClosed());
      assertThat(end.heard().closedReason()).contains("the peer speaks TLS");
    }
  }

  @Test
  void tellsATlsClientThatTheServerMayNotSpeakIt() throws LinkException {
    try (SteppedLinks links = start(TRUSTING_CLIENT, null)) {
      assertThat(failure(links)).contains("may not speak TLS");
    }
  }

  /** As somebody in the middle would have it who has taken all newer versions out. */
  @Test
  void isNotHadInAVersionThatIsBroken() throws IOException, LinkException {
    int sslAlert = 21;
    int protocolVersion = 70;
    try (SteppedLinks links = start(TRUSTING_CLIENT, SERVER);
        Socket old =
            new Socket(InetAddress.getLoopbackAddress(), links.listening().address().getPort())) {
      old.getOutputStream().write(helloOfTls11());
      ByteArrayOutputStream heard = new ByteArrayOutputStream();
      AtomicInteger ended = new AtomicInteger();
      Thread.ofVirtual().start(() -> readToEnd(old, heard, ended));
      links.stepUntil("the answer", () -> ended.get() == 1);
      byte[] answer = heard.toByteArray();
      assertThat(answer[0]).isEqualTo((byte) sslAlert);
      assertThat(answer[answer.length - 1]).isEqualTo((byte) protocolVersion);
      assertThat(links.acceptedCount()).isZero();
    }
  }

  /** A ClientHello whose newest version is TLS 1.1, with cipher suites of its time. */
  private static byte[] helloOfTls11() {
    byte[] body = new byte[43]; // version, random, no session
    body[0] = 3;
    body[1] = 2;
    byte[] suites = {0, 4, (byte) 0xc0, 0x14, 0, 0x2f, 1, 0};
    System.arraycopy(suites, 0, body, 35, suites.length);
    return ByteBuffer.allocate(5 + 4 + body.length)
        .put(new byte[] {22, 3, 1, 0, (byte) (4 + body.length)})
        .put(new byte[] {1, 0, 0, (byte) body.length})
        .put(body)
        .array();
  }

  /** As somebody in the middle would answer who hopes that the client goes on without TLS. */
  @Test
  void isNotLeftWhereTheAnswerIsPlaintext() throws IOException, LinkException {
    byte[] frame = {0, 0, 0, 1, 1};
    try (ServerSocket middle = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        SteppedLinks links = start(TRUSTING_CLIENT, SERVER)) {
      Thread.ofVirtual().start(() -> answer(middle, frame));
      URI address = URI.create("tcp://127.0.0.1:" + middle.getLocalPort());
      var outcome = links.startConnecting(address, options(TRUSTING_CLIENT));
      links.stepUntil("the failure", outcome::isKnown);
      assertThat(outcome.failure())
          .hasMessageContaining("expected TLS, but the peer sent plaintext");
    }
  }

  private static void answer(ServerSocket middle, byte[] words) {
    try (Socket client = middle.accept()) {
      client.getOutputStream().write(words);
      readToEnd(client, OutputStream.nullOutputStream(), new AtomicInteger());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void givesUpOnAServerThatNeverShakesHands() throws IOException, LinkException {
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        SteppedLinks links = start(TRUSTING_CLIENT, SERVER)) {
      URI address = URI.create("tcp://127.0.0.1:" + mute.getLocalPort());
      var options = LinkOptions.of(1000, Duration.ofMillis(200), TRUSTING_CLIENT);
      var outcome = links.startConnecting(address, options);
      links.stepUntil("the time to pass", outcome::isKnown);
      assertThat(outcome.failure()).hasMessageContaining("TLS handshake within 200 ms");
    }
  }

  @Tag("long")
  @Test
  void dropsClientsThatNeverEndTheirHandshakeAndServesOthers()
      throws IOException, LinkException, InterruptedException {
    byte[] hello = {22, 3, 1, 0, 100, 1, 0, 0, 96, 3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    // Long enough for the honest client on a busy machine, too short for those that say no more.
    var impatient = LinkOptions.of(1000, Duration.ofSeconds(2), SERVER);
    var harness = new TcpHarness(Transport.best(), null, null, 0);
    List<Socket> slow = new ArrayList<>();
    try (SteppedLinks links = new SteppedLinks(harness, options(TRUSTING_CLIENT), impatient)) {
      AtomicInteger dropped = new AtomicInteger();
      List<Thread> readers = new ArrayList<>();
      for (int bytesOfIt : new int[] {0, 1, 5, 20}) {
        Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), links.listening().address().getPort());
        slow.add(socket);
        socket.getOutputStream().write(hello, 0, bytesOfIt);
        socket.getOutputStream().flush();
        readers.add(Thread.ofVirtual().start(() -> readToEnd(socket, dropped)));
      }
      links.open();
      links.stepUntil("the slow ones to be dropped", () -> dropped.get() == slow.size());
      for (Thread reader : readers) {
        reader.join();
      }
      links.open();
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  private static void readToEnd(Socket socket, AtomicInteger ended) {
    readToEnd(socket, OutputStream.nullOutputStream(), ended);
  }

  private static void readToEnd(Socket socket, OutputStream to, AtomicInteger ended) {
    try (InputStream in = socket.getInputStream()) {
      in.transferTo(to);
    } catch (IOException e) {
      // A reset is an end as well.
    }
    ended.incrementAndGet();
  }

  private static String failure(SteppedLinks links) {
    return String.valueOf(links.connect(links.listening().address()).failure().getMessage());
  }
}
