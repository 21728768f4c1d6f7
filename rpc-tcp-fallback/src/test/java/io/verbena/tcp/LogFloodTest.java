package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.TlsOptions;
import io.verbena.link.runtime.ThrottledLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A stranger cannot flood the log by a port: repeated lines are counted, not written. */
final class LogFloodTest {
  private static final Logger VERBENA = (Logger) LoggerFactory.getLogger("io.verbena");
  private static final int TIMES = 100;

  /** Those at once, and some for the time that it takes on a slow machine. */
  private static final int MOST_LINES = ThrottledLog.AT_ONCE + 5;

  private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private final LinkDriver driver = new TcpLinkProvider(Transport.best()).newDriver(() -> {});
  private long before;
  private int ended;

  @BeforeEach
  void begin() {
    before = counted();
    told.start();
    VERBENA.addAppender(told);
    VERBENA.setAdditive(false);
  }

  @AfterEach
  void fewLinesAreTold() {
    VERBENA.detachAppender(told);
    VERBENA.setAdditive(true);
    driver.close();
    assertThat(told.list).hasSizeLessThanOrEqualTo(MOST_LINES);
    assertThat(counted() - before).isGreaterThanOrEqualTo(TIMES);
  }

  private static long counted() {
    return ThrottledLog.counts().values().stream().mapToLong(Long::longValue).sum();
  }

  private URI listen(@Nullable TlsOptions tls, LinkDriver.AcceptHandler handler)
      throws LinkException {
    LinkOptions options = LinkOptions.of(1000, Duration.ofSeconds(10), tls);
    return driver.listen(URI.create("tcp://127.0.0.1:0"), options, handler).address();
  }

  /** Has strangers send a few bytes, one after another, until each is told something or cut off. */
  private void strangersComeTo(URI address, byte... bytes) throws IOException {
    for (int i = 0; i < TIMES; i++) {
      long so = counted();
      try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
        stranger.getOutputStream().write(bytes);
        while (counted() == so) {
          driver.await(PATIENCE_NANOS);
        }
      }
    }
  }

  @Test
  void byPlaintextWhereTlsIsSpoken() throws Exception {
    URI address = listen(TlsOptions.server(Identities.SERVER.trusting()), link -> new Failing());
    strangersComeTo(address, "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void byLinksThatNobodyTakes() throws Exception {
    URI address =
        listen(
            null,
            link -> {
              throw new IllegalStateException("nobody takes it");
            });
    strangersComeTo(address, (byte) 0);
  }

  @Test
  void byFramesThatFailTheirListener() throws Exception {
    strangersComeTo(
        listen(null, link -> new Failing()), (byte) 0, (byte) 0, (byte) 0, (byte) 1, (byte) 7);
    assertThat(ended).isEqualTo(TIMES);
  }

  private final class Failing implements LinkListener {
    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      throw new IllegalStateException("it takes no frame");
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {
      ended++;
    }
  }
}
