package io.verbena.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.session.LocalLink;
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

/**
 * Both ends of a link within one loop, stepped by hand: what {@code LinkContract} asks of links,
 * which needs a driver for each end, and one that stands still while the other goes on.
 */
class LocalLinkTest {
  private final EventLoop loop = new EventLoop("test", NanoClock.SYSTEM, new InMemoryNetwork());
  private final End client = new End();
  private final End server = new End();

  /** What an end has heard. */
  private static final class End implements LinkListener {
    private final List<Integer> frames = new ArrayList<>();
    private Link link;
    private int writable;
    private @Nullable String closed;
    private boolean throwsUp;
    private boolean closesOnFrame;

    LinkListener of(Link opened) {
      link = opened;
      return this;
    }

    SendResult send(int value) {
      return send(value, Integer.BYTES);
    }

    SendResult send(int value, int bytes) {
      Slot slot = Slot.unpooled(200);
      slot.buffer().putInt(0, value);
      slot.length(bytes);
      try {
        return link.send(slot);
      } finally {
        slot.release();
      }
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      if (throwsUp) {
        throw new IllegalStateException("it fails");
      }
      frames.add(buffer.getInt(from));
      if (closesOnFrame) {
        link.close();
      }
    }

    @Override
    public void onWritable() {
      writable++;
    }

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
  void anEndThatIsFullSaysWhenThereIsRoom() {
    server.link.setReceiving(false);
    int sent = 0;
    while (client.send(sent) == SendResult.SENT) {
      sent++;
    }
    client.link.flush();
    step();
    assertThat(server.frames).isEmpty();
    assertThat(client.writable).isZero();
    server.link.setReceiving(true);
    step();
    assertThat(server.frames).hasSize(sent);
    assertThat(client.writable).isEqualTo(1);
    assertThat(client.send(1)).isEqualTo(SendResult.SENT);
  }

  @Test
  void whatWasSentBeforeACloseArrives() {
    assertThat(client.send(1)).isEqualTo(SendResult.SENT);
    client.link.close();
    assertThat(client.closed).isEqualTo("closed by this end");
    assertThat(client.send(2)).isEqualTo(SendResult.CLOSED);
    step();
    assertThat(server.frames).containsExactly(1);
    assertThat(server.closed).isEqualTo("the other end closed the link");
    assertThat(server.send(3)).isEqualTo(SendResult.CLOSED);
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

  @Test
  void anEndWhoseListenerFailsIsClosed() {
    server.throwsUp = true;
    assertThat(client.send(1)).isEqualTo(SendResult.SENT);
    client.link.flush();
    step();
    assertThat(server.closed).contains("it fails");
    assertThat(client.closed).isNotNull();
  }

  @Test
  void itEndsOnceHoweverOftenItIsClosed() {
    client.link.close();
    client.link.close();
    client.link.abort("too late to matter");
    step();
    server.link.close();
    client.link.flush();
    client.link.setReceiving(true);
    step();
    assertThat(client.closed).isEqualTo("closed by this end");
    assertThat(server.closed).isEqualTo("the other end closed the link");
  }

  @Test
  void anEndThatIsClosedFromWithinAFrameHearsNoMore() {
    server.closesOnFrame = true;
    for (int i = 0; i < 10; i++) {
      assertThat(client.send(i)).isEqualTo(SendResult.SENT);
    }
    client.link.flush();
    step();
    assertThat(server.frames).containsExactly(0);
    assertThat(client.closed).isNotNull();
  }

  @Test
  void anEndHearsOfRoomOnlyWhenItWasPushedBack() {
    assertThat(client.send(1)).isEqualTo(SendResult.SENT);
    client.link.flush();
    step();
    assertThat(client.writable).isZero();
  }

  @Test
  void framesThatAreTooLongOrEmptyAreRefused() {
    assertThat(client.send(1, 100)).isEqualTo(SendResult.SENT);
    assertThatIllegalArgumentException().isThrownBy(() -> client.send(1, 101));
    assertThatIllegalArgumentException().isThrownBy(() -> client.send(1, 0));
  }
}
