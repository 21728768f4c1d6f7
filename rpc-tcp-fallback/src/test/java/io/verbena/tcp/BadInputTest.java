package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.socket.SocketChannel;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.link.SendResult;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.RecordingListener;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes of strangers at the port. A well-behaved link beside each must not notice. */
@DisplayName("A TCP listener")
final class BadInputTest {
  private static final int MAX_FRAME = 1000;
  private static final LinkOptions OPTIONS =
      LinkOptions.of(MAX_FRAME, Duration.ofSeconds(10), null);

  private SteppedLinks links;
  private SteppedLinks.Pair sound;

  @SuppressWarnings("NullAway.Init") // by start
  BadInputTest() {}

  @BeforeEach
  void start() throws LinkException {
    links = new SteppedLinks(new TcpHarness(Transport.best(), null, null, 0), OPTIONS, OPTIONS);
    sound = links.open();
  }

  @AfterEach
  void theSoundLinkStillWorks() {
    int before = sound.server().heard().frames().size();
    sound.client().sendNow(new byte[MAX_FRAME]);
    links.stepUntil("a frame on the sound link", () -> heardBySound() > before);
    assertThat(sound.server().heard().isClosed()).isFalse();
    links.close();
  }

  private int heardBySound() {
    return sound.server().heard().frames().size();
  }

  private Socket stranger() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), links.listening().address().getPort());
  }

  private LinkEnd acceptedFrom(Socket stranger) {
    String address = "tcp://127.0.0.1:" + stranger.getLocalPort();
    links.stepUntil("the stranger to be accepted", () -> links.acceptedFrom(address) != null);
    return Objects.requireNonNull(links.acceptedFrom(address));
  }

  private static byte[] length(int length) {
    return ByteBuffer.allocate(4).putInt(length).array();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, MAX_FRAME + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void closesTheLinkOfWhoLiesAboutALength(int length) throws IOException {
    try (Socket liar = stranger()) {
      LinkEnd end = acceptedFrom(liar);
      liar.getOutputStream().write(length(length));
      links.stepUntil("the liar's link to end", () -> end.heard().isClosed());
      assertThat(end.heard().closedReason())
          .contains(Integer.toUnsignedString(length))
          .contains("maxFrameBytes = " + MAX_FRAME + ". Is it a Verbena program?");
      assertThat(end.heard().frames()).isEmpty();
    }
  }

  @Test
  void saysSoWhenAFrameIsCutShort() throws IOException {
    try (Socket quitter = stranger()) {
      LinkEnd end = acceptedFrom(quitter);
      quitter.getOutputStream().write(length(100));
      quitter.getOutputStream().write(new byte[99]);
      quitter.shutdownOutput();
      links.stepUntil("the link to end", () -> end.heard().isClosed());
      assertThat(end.heard().closedReason()).contains("in the middle of a frame");
      assertThat(end.heard().frames()).isEmpty();
    }
  }

  @Test
  void waitsForAFrameThatComesByteByByte() throws IOException {
    try (Socket dripping = stranger()) {
      LinkEnd end = acceptedFrom(dripping);
      dripping.setTcpNoDelay(true);
      for (int frame = 0; frame < 3; frame++) {
        for (byte each : length(10)) {
          drip(dripping, each);
        }
        for (int i = 0; i < 10; i++) {
          drip(dripping, i);
        }
      }
      links.stepUntil("the frames", () -> end.heard().frames().size() == 3);
      assertThat(end.heard().frames().get(2)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }
  }

  /** Sends bulk bytes to a stranger, so that it may report how many have arrived. */
  private LinkEnd sentTo(Socket stranger, int bytes) throws LinkException {
    LinkEnd end = acceptedFrom(stranger);
    BulkPort bulk = Objects.requireNonNull(end.link().bulk());
    ByteBuffer target = ByteBuffer.allocate(2 * Long.BYTES).putLong(1).putLong(bytes).flip();
    BulkRegion source = bulk.attach(Arena.ofAuto().allocate(bytes), MemoryLife.HELD);
    assertThat(bulk.write(bulk.remote(target), 0, source, 0, bytes, true, () -> {}))
        .isEqualTo(SendResult.SENT);
    end.link().flush();
    return end;
  }

  private static byte[] receipt(long bytes) {
    return ByteBuffer.allocate(4 + Long.BYTES).putInt(1 << 31).putLong(bytes).array();
  }

  @Test
  void waitsForAReceiptThatComesByteByByte() throws Exception {
    try (Socket dripping = stranger()) {
      LinkEnd end = sentTo(dripping, 100);
      dripping.setTcpNoDelay(true);
      for (int bytes : new int[] {60, 100}) {
        for (byte each : receipt(bytes)) {
          drip(dripping, each);
        }
      }
      dripping.getOutputStream().write(length(1));
      dripping.getOutputStream().write(5);
      links.stepUntil("the frame", () -> end.heard().frames().size() == 1);
      assertThat(end.heard().bulkMoves()).as("signs of life").isEqualTo(2);
      assertThat(end.heard().isClosed()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {101, 0, -1, Long.MAX_VALUE, Long.MIN_VALUE})
  void closesTheLinkOfWhoReportsWhatCannotHaveArrived(long bytes) throws Exception {
    try (Socket liar = stranger()) {
      LinkEnd end = sentTo(liar, 100);
      liar.getOutputStream().write(receipt(bytes));
      links.stepUntil("the liar's link to end", () -> end.heard().isClosed());
      assertThat(end.heard().closedReason()).contains(bytes + " of 100 bulk bytes");
    }
  }

  private void drip(Socket socket, int value) throws IOException {
    socket.getOutputStream().write(value);
    links.settle();
  }

  @Test
  void endsTheLinkOfWhoSendsRandomBytes() throws IOException {
    Random random = Seed.random("ends the link of who sends random bytes");
    for (int i = 0; i < 200; i++) {
      try (Socket noise = stranger()) {
        LinkEnd end = acceptedFrom(noise);
        byte[] bytes = new byte[1 + random.nextInt(3000)];
        random.nextBytes(bytes);
        send(noise, bytes);
        noise.shutdownOutput();
        links.stepUntil("the noise to end", () -> end.heard().isClosed());
      }
    }
  }

  /** The other end may have closed on what came first. */
  private static void send(Socket socket, byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      assertThat(e).hasMessageMatching(".*(reset|Broken pipe|closed).*");
    }
  }

  @Test
  void survivesAResetConnection() throws IOException {
    Socket rude = stranger();
    LinkEnd end = acceptedFrom(rude);
    rude.setSoLinger(true, 0);
    rude.close();
    links.stepUntil("the link to end", () -> end.heard().isClosed());
  }

  @Test
  void servesOthersWhileAThousandConnectAndSayNothing() throws IOException {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 1000; i++) {
        silent.add(stranger());
        links.step();
      }
      links.stepUntil("all to be accepted", () -> links.acceptedCount() == 1001);
      int before = heardBySound();
      sound.client().sendNow(new byte[1]);
      links.stepUntil("the sound link's frame", () -> heardBySound() > before);
    } finally {
      for (Socket each : silent) {
        each.close();
      }
    }
    links.stepUntil("all of them to be gone", () -> links.openAcceptedCount() == 1);
  }

  /** Until its first byte a connection may be of either protocol, so no link watches it. */
  @Test
  void closesOnlyWhoSaysNothingAtAPortOfTwoProtocols() throws Exception {
    TcpProtocol other =
        new TcpProtocol() {
          @Override
          public boolean beginsWith(byte first) {
            return first != 0;
          }

          @Override
          public void accept(
              SocketChannel channel,
              String peer,
              List<X509Certificate> certificates,
              Executor loop) {}
        };
    LinkOptions hasty = LinkOptions.of(MAX_FRAME, Duration.ofSeconds(1), null).withProtocol(other);
    List<RecordingListener> heard = new ArrayList<>();
    LinkDriver.Listening shared =
        links
            .server()
            .listen(
                URI.create("tcp://127.0.0.1:0"),
                hasty,
                _ -> {
                  heard.add(new RecordingListener());
                  return heard.getLast();
                });
    InetAddress here = InetAddress.getLoopbackAddress();
    try (Socket speaking = new Socket(here, shared.address().getPort());
        Socket mute = new Socket(here, shared.address().getPort())) {
      speaking.getOutputStream().write(0);
      mute.setSoTimeout(1);
      links.stepUntil("the mute to be turned away", () -> isEnded(mute));
      links.settle();
      speaking.setSoTimeout(1);
      assertThat(isEnded(speaking)).isFalse();
      assertThat(heard).singleElement().matches(link -> !link.isClosed());
    }
    shared.close();
  }

  private static boolean isEnded(Socket socket) {
    try {
      return socket.getInputStream().read() == -1;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true; // reset
    }
  }

  @Tag("long")
  @Test
  void comesAndGoesThousandsOfTimes() throws IOException {
    for (int i = 0; i < 2000; i++) {
      stranger().close();
      links.step();
    }
    links.stepUntil("all of them to be gone", () -> links.openAcceptedCount() == 1);
  }

  @Test
  void tellsATlsClientNothingButAnEnd() throws IOException {
    byte[] hello = {22, 3, 1, 0, 100, 1, 0, 0, 96, 3, 3};
    try (Socket tls = stranger()) {
      LinkEnd end = acceptedFrom(tls);
      tls.getOutputStream().write(hello);
      links.stepUntil("the link to end", () -> end.heard().isClosed());
      assertThat(end.heard().closedReason()).contains("the peer speaks TLS");
      links.settle();
      tls.setSoTimeout(5000);
      try (InputStream in = tls.getInputStream()) {
        assertThat(in.read()).isEqualTo(-1);
      }
    }
  }
}
