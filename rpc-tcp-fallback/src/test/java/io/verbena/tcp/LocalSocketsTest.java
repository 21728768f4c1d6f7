package io.verbena.tcp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.link.LinkDriver;
import io.verbena.link.LocalSockets;
import io.verbena.testkit.LocalSocketsContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;

/** Local sockets that the loop watches together with its TCP links. */
final class LocalSocketsTest {
  /** By the JDK's selectors. */
  @Nested
  final class Nio extends LocalSocketsContract {
    Nio() {
      super(() -> new OfDriver(Transport.nio("of the test")));
    }
  }

  /** By native epoll. */
  @Nested
  final class Epoll extends LocalSocketsContract {
    Epoll() {
      super(Epoll::newLoop);
    }

    private static Loop newLoop() {
      assumeTrue(Transport.best().isEpoll());
      return new OfDriver(Transport.epoll());
    }
  }

  private static final class OfDriver implements LocalSocketsContract.Loop {
    private final LinkDriver driver;
    private final @Nullable LocalSockets sockets;

    OfDriver(Transport transport) {
      driver = new TcpLinkProvider(transport).newDriver(() -> {});
      sockets = driver.localSockets();
    }

    @Override
    public LocalSockets sockets() {
      if (sockets == null) {
        throw new AssertionError("the driver watches no sockets");
      }
      return sockets;
    }

    @Override
    public void await(Duration longest) {
      int _ = driver.await(longest.toNanos());
    }

    @Override
    public void close() {
      try {
        sockets().close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      driver.close();
    }
  }
}
