package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LocalSockets;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A driver that is closed, and whose sockets throw. */
final class ClosedDriverTest {
  /** One peer connects, and sends nothing. */
  private static final class Throwing implements LocalSockets {
    private @Nullable Runnable connected;
    private boolean accepted;
    private @Nullable ByteBuffer read;

    @Override
    public LocalSockets.Connected connect(Path path) {
      return new Silent();
    }

    @Override
    public LocalSockets.Listening listen(Path path, int backlog) {
      return new LocalSockets.Listening() {
        @Override
        public LocalSockets.@Nullable Connected accept() {
          boolean first = !accepted;
          accepted = true;
          return first ? new Silent() : null;
        }

        @Override
        public void watch(Runnable ready) {
          connected = ready;
        }

        @Override
        public void unwatch() {}

        @Override
        public void close() {}
      };
    }

    @Override
    public boolean arm(long nanos) {
      return true;
    }

    @Override
    public void poll() {}

    @Override
    public void close() {
      throw new IllegalStateException("the sockets do not close");
    }

    private final class Silent implements LocalSockets.Connected {
      @Override
      public int read(ByteBuffer into) {
        read = into;
        return 0;
      }

      @Override
      public int write(ByteBuffer from) {
        return 0;
      }

      @Override
      public void watch(Runnable ready) {}

      @Override
      public void unwatch() {}

      @Override
      public void close() {}
    }
  }

  private static final class NoLink implements LinkDriver.ConnectHandler {
    @Override
    public LinkListener onConnected(Link link) {
      throw new AssertionError("a link was opened");
    }

    @Override
    public void onFailed(LinkException failure) {}
  }

  @Test
  void hasFreedItsMemoryAllTheSame(@TempDir Path base) throws Exception {
    Throwing sockets = new Throwing();
    UpgradeDriver driver =
        new ShmUpgradeProvider(base, ShmSettings.DEFAULT.withRingBytes(256 << 10), NanoClock.SYSTEM)
            .newDriver(() -> {}, sockets);
    byte[] _ =
        driver.offer(
            ShmOffer.request(), URI.create("tcp://127.0.0.1:1"), TwoEnds.OPTIONS, new NoLink());
    Objects.requireNonNull(sockets.connected).run();
    int _ = driver.poll(System.nanoTime());
    ByteBuffer ofDriver = Objects.requireNonNull(sockets.read);
    assertThat(ofDriver.clear().get(0)).isZero();
    assertThatThrownBy(driver::close).hasMessage("the sockets do not close");
    assertThatThrownBy(() -> ofDriver.get(0)).isInstanceOf(IllegalStateException.class);
  }
}
