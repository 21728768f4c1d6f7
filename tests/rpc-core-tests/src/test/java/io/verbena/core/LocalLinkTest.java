package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.loop.EventLoop;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.NanoClock;
import io.verbena.mem.InMemoryNetwork;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The behaviour of a link within a loop beyond the contract of all links. */
class LocalLinkTest {
  private final EventLoop loop = new EventLoop("test", NanoClock.SYSTEM, new InMemoryNetwork());
  private final End client = new End();
  private final End server = new End();

  /** The events of one end. */
  private static final class End implements LinkListener {
    private final List<Integer> frames = new ArrayList<>();
    private @Nullable String closed;

    @SuppressWarnings("NullAway.Init") // by of()
    private Link link;

    LinkListener of(Link opened) {
      link = opened;
      return this;
    }

    SendResult send(int value) {
      Slot slot = Slot.unpooled(200);
      slot.buffer().putInt(0, value);
      slot.length(Integer.BYTES);
      try {
        return link.send(slot);
      } finally {
        slot.release();
      }
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      frames.add(buffer.getInt(from));
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {
      assertThat(closed).isNull();
      closed = reason;
    }
  }

  @BeforeEach
  void open() {
    LocalLink.open(
        loop,
        new LinkCapabilities("tcp", "gateway", 100, false),
        "gateway:tcp",
        new LocalLink.Remote("tcp://10.0.0.7:40112", List.of()),
        new LinkDriver.ConnectHandler() {
          @Override
          public LinkListener onConnected(Link link) {
            return client.of(link);
          }

          @Override
          public void onFailed(LinkException failure) {
            throw new AssertionError(failure);
          }
        },
        server::of);
    step();
  }

  private void step() {
    while (loop.doWork() > 0) {}
  }

  @Test
  void framesComeInOrderOnceTheyAreFlushed() {
    assertThat(client.send(1)).isEqualTo(SendResult.SENT);
    assertThat(client.send(2)).isEqualTo(SendResult.SENT);
    step();
    assertThat(server.frames).isEmpty();
    client.link.flush();
    assertThat(server.frames).isEmpty(); // not from within
    step();
    assertThat(server.frames).containsExactly(1, 2);
    assertThat(server.link.peerAddress()).isEqualTo("tcp://10.0.0.7:40112");
    assertThat(client.link.localAddress()).isEqualTo("tcp://10.0.0.7:40112");
  }

  @Test
  void whatWasSentBeforeAnAbortIsDropped() {
    assertThat(server.send(1)).isEqualTo(SendResult.SENT);
    server.link.abort("it broke the rules");
    step();
    assertThat(client.frames).isEmpty();
    assertThat(server.closed).isEqualTo("it broke the rules");
    assertThat(client.closed).isNotNull();
  }
}
