package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LocalSockets;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The socket by which a peer wakes this end. */
final class WakeupSocketTest {
  @Test
  void ofAPeerThatRingsTooOftenTakesOneReadATurn(@TempDir Path base) throws Exception {
    Path path = base.resolve("bell");
    try (LocalSockets sockets = new WaitedSockets(WaiterThread::new, () -> {});
        LocalSockets.Listening server = sockets.listen(path, 1)) {
      try (LocalSockets.Connected peer = sockets.connect(path)) {
        assertThat(peer.write(ByteBuffer.allocateDirect(250))).isEqualTo(250);
      }
      try (LocalSockets.Connected here = Objects.requireNonNull(server.accept())) {
        WakeupSocket socket = new WakeupSocket(here, ByteBuffer.allocateDirect(1));
        ByteBuffer scratch = ByteBuffer.allocateDirect(100);
        assertThat(socket.drain(scratch)).isEqualTo(100);
        assertThat(socket.drain(scratch)).isEqualTo(100);
        assertThat(socket.isGone()).isFalse();
        assertThat(socket.drain(scratch)).isEqualTo(50);
        assertThat(socket.drain(scratch)).isNegative();
        assertThat(socket.isGone()).isTrue();
      }
    }
  }
}
