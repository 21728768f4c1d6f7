package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The socket by which a peer wakes this end. */
final class BellTest {
  @Test
  void ofAPeerThatRingsTooOftenTakesOneReadATurn(@TempDir Path base) throws Exception {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(base.resolve("bell"));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(address);
      try (SocketChannel here = heardFrom(server, address)) {
        Bell bell = new Bell(here, ByteBuffer.allocateDirect(1));
        ByteBuffer scratch = ByteBuffer.allocateDirect(100);
        assertThat(bell.drain(scratch)).isEqualTo(100);
        assertThat(bell.drain(scratch)).isEqualTo(100);
        assertThat(bell.isGone()).isFalse();
        assertThat(bell.drain(scratch)).isEqualTo(50);
        assertThat(bell.drain(scratch)).isNegative();
        assertThat(bell.isGone()).isTrue();
      }
    }
  }

  /** Returns the end of a connection whose peer has rung 250 times, and gone. */
  private static SocketChannel heardFrom(
      ServerSocketChannel server, UnixDomainSocketAddress address) throws IOException {
    try (SocketChannel peer = SocketChannel.open(address)) {
      peer.write(ByteBuffer.allocate(250));
    }
    SocketChannel here = server.accept();
    here.configureBlocking(false);
    return here;
  }
}
