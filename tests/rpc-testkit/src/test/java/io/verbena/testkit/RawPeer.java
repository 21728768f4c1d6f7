package io.verbena.testkit;

import io.verbena.codec.WireEncoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.UpgradeMessage;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.memory.Slot;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An attacker's end of a link: says whatever a test has it say, and notes what it hears. */
public class RawPeer implements LinkListener, LinkDriver.ConnectHandler {
  public @Nullable Link link;
  public @Nullable String closed;
  public final List<FrameKind> heard = new ArrayList<>();

  @Override
  public LinkListener onConnected(Link link) {
    this.link = link;
    return this;
  }

  @Override
  public void onFailed(LinkException failure) {
    closed = failure.getMessage();
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    FrameKind kind = FrameKind.ofCode(FrameHeader.kindCode(FrameHeader.first(buffer, from)));
    if (kind != null) {
      heard.add(kind);
    }
  }

  @Override
  public void onWritable() {}

  @Override
  public void onClosed(String reason) {
    closed = reason;
  }

  /** Sends these bytes as a frame, if the link still stands. */
  public final void send(byte[] frame) {
    Slot slot = Slot.unpooled(frame.length);
    slot.buffer().put(0, frame);
    slot.length(frame.length);
    Link open = link;
    if (open != null && closed == null) {
      open.send(slot);
      open.flush();
    }
  }

  /** Asks for a session, as any client would. */
  public final void sayHello() {
    sayHello(List.of());
  }

  /** Asks for a session, and says that it serves these. */
  public final void sayHello(List<OfferedService> services) {
    sayHello(services, null);
  }

  /** Asks for a session, and with the same words for a better link. */
  public final void sayHelloAndAskForUpgrade() {
    sayHello(List.of(), new UpgradeMessage(2, new byte[0]));
  }

  /** Asks for a session, and says that it uses memory that is granted before a push is offered. */
  public final void sayHelloAndPushEarly() {
    sayHello(List.of(), null, new PeerLimits(1 << 20, 65536, 64, 0, false, false, true));
  }

  private void sayHello(List<OfferedService> services, @Nullable UpgradeMessage upgrade) {
    sayHello(services, upgrade, new PeerLimits(1 << 20, 65536, 64));
  }

  private void sayHello(
      List<OfferedService> services, @Nullable UpgradeMessage upgrade, PeerLimits limits) {
    Hello hello =
        new Hello(
            FrameHeader.VERSION,
            FrameHeader.VERSION,
            0,
            SessionKey.NONE,
            0,
            0,
            limits,
            "",
            services,
            upgrade);
    send(frame(FrameKind.HELLO, 0, 0, hello::write));
  }

  /** Returns a frame of a session's first link, with this body. */
  public static byte[] frame(
      FrameKind kind, long sequence, long callId, Consumer<WireEncoder> body) {
    return call(kind, sequence, callId, kind.sequenced() ? FrameHeader.UNTOLD : 1, 0, body);
  }

  /**
   * Returns a call, in a frame of a session's first link.
   *
   * @param timeLeft in microseconds
   * @param place of the method, among those that the other end serves
   */
  public static byte[] call(
      FrameKind kind,
      long sequence,
      long callId,
      int timeLeft,
      int place,
      Consumer<WireEncoder> arguments) {
    ByteBuffer memory = ByteBuffer.allocate(64 << 10);
    WireEncoder out = new WireEncoder();
    out.start(memory, FrameHeader.BYTES, 60_000, 16);
    arguments.accept(out);
    long first = FrameHeader.first(kind, 0);
    FrameHeader.write(memory, first, 1, sequence, 0, timeLeft, FrameHeader.third(callId, place));
    byte[] bytes = new byte[FrameHeader.BYTES + out.length()];
    memory.get(0, bytes);
    return bytes;
  }
}
