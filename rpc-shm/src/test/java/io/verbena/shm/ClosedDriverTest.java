package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A driver that is closed, and whose waiter throws. */
final class ClosedDriverTest {
  private @Nullable Selector sockets;
  private @Nullable Consumer<SelectionKey> ready;

  private Waiter waiter(Selector sockets, Consumer<SelectionKey> ready) {
    this.sockets = sockets;
    this.ready = ready;
    return new Waiter() {
      @Override
      public boolean waitFor(long limitMillis) {
        return false;
      }

      @Override
      public boolean isWaiting() {
        return false;
      }

      @Override
      public void close() {
        throw new IllegalStateException("the waiter does not end");
      }
    };
  }

  @Test
  void hasFreedItsMemoryAllTheSame(@TempDir Path base) throws Exception {
    UpgradeDriver driver =
        new ShmUpgradeProvider(
                base,
                new ShmSettings(256 << 10),
                NanoClock.SYSTEM,
                (sockets, ready, wakeLoop) -> waiter(sockets, ready))
            .newDriver(() -> {});
    assertThatThrownBy(driver::close).hasMessage("the waiter does not end");
    assertThat(Objects.requireNonNull(sockets).isOpen()).isFalse();
    try (ServerSocketChannel server = ServerSocketChannel.open();
        Selector ofTest = Selector.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel peer = SocketChannel.open(server.getLocalAddress())) {
        peer.configureBlocking(false);
        SelectionKey rung = peer.register(ofTest, SelectionKey.OP_READ);
        rung.attach(new Bell(peer, ByteBuffer.allocate(1)));
        // The driver's buffers are of its memory.
        assertThatThrownBy(() -> Objects.requireNonNull(ready).accept(rung))
            .hasMessageContaining("closed");
      }
    }
  }
}
