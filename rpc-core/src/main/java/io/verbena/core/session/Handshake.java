package io.verbena.core.session;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.Link;
import io.verbena.link.LinkListener;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.NanoClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A link's first words, either side: sends and takes unsequenced frames until a session owns it.
 */
abstract class Handshake implements LinkListener, Timers.Timer {
  private static final int DEPTH = 16;

  final Link link;
  private EventLoop loop;
  private final WireDecoder decoder = new WireDecoder();
  private final Duration limit;
  private long timer = Timers.NONE;
  private boolean over;

  /**
   * A handshake over a new link.
   *
   * @param limit how long the peer may take for its part
   */
  Handshake(Link link, EventLoop loop, Duration limit) {
    this.link = link;
    this.loop = loop;
    this.limit = limit;
  }

  final EventLoop loop() {
    return loop;
  }

  /** Another loop steps it from now on. */
  final void goOnWith(EventLoop loop) {
    this.loop = loop;
    startTimer();
  }

  final void startTimer() {
    timer = loop.timers().schedule(loop.now() + NanoClock.nanos(limit), this);
  }

  /** The peer has done its part so far, and now waits for this end. */
  final void stopTimer() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
  }

  /** A frame of the handshake; throws WireException if it does not decode. */
  abstract void onWord(FrameKind kind, int epoch, WireDecoder body);

  /** Returns what is at the other end, in a word. */
  abstract String expected();

  /** There will be no session over this link. Called at most once. */
  abstract void onBroken(String reason);

  /** The link was lost before there was a session over it. Called at most once. */
  void onLost(String reason) {
    onBroken(reason);
  }

  /** The link was lost since one end does not trust the other. Called at most once. */
  void onRefused(String reason) {
    onLost(reason);
  }

  /** The handshake has had its result: nothing more is reported. */
  final void finish() {
    if (!over) {
      over = true;
      stopTimer();
      over();
    }
  }

  /** The handshake is over, with whatever result. Called once. */
  void over() {}

  final boolean isOver() {
    return over;
  }

  /** Sends a frame; where that cannot be done, the handshake is over. */
  final void say(FrameKind kind, int epoch, Consumer<WireOut> body) {
    Slot slot = ControlFrame.slot(kind, epoch, 0, body);
    try {
      if (slot.length() > link.capabilities().maxFrameBytes()) {
        fail(
            kind
                + " takes "
                + slot.length()
                + " bytes; the link carries "
                + link.capabilities().maxFrameBytes());
      } else {
        switch (link.send(slot)) {
          case SENT -> link.flush();
          case BACK_PRESSURED -> fail("the link took no frame");
          case CLOSED -> {} // it tells why
        }
      }
    } finally {
      slot.release();
    }
  }

  final void fail(String reason) {
    if (!over) {
      finish();
      link.abort(reason);
      onBroken(reason);
    }
  }

  @Override
  public final void onFrame(ByteBuffer buffer, int from, int to) {
    if (over) {
      return;
    }
    String wrong = headerError(buffer, from, to);
    if (wrong == null) {
      try {
        long first = FrameHeader.first(buffer, from);
        FrameKind kind = FrameKind.ofCode(FrameHeader.kindCode(first));
        decoder.start(buffer, from + FrameHeader.BYTES, to, DEPTH);
        int epoch = FrameHeader.about(FrameHeader.second(buffer, from));
        onWord(kind == null ? FrameKind.ACK : kind, epoch, decoder);
      } catch (WireException e) {
        wrong = e.getMessage();
      }
    }
    if (wrong != null) {
      fail("protocol error while opening: " + wrong);
    }
  }

  /**
   * Returns what is wrong with a header, or null; a greeting of any version is read, to refuse it.
   */
  private static @Nullable String headerError(ByteBuffer buffer, int from, int to) {
    if (to - from < FrameHeader.BYTES) {
      return "a frame of " + (to - from) + " bytes";
    }
    long first = FrameHeader.first(buffer, from);
    int version = FrameHeader.version(first);
    int kind = FrameHeader.kindCode(first);
    boolean legible = kind == FrameKind.HELLO.code() || kind == FrameKind.REFUSED.code();
    return version == FrameHeader.VERSION || legible ? null : "a frame of version " + version;
  }

  @Override
  public final void onWritable() {}

  @Override
  public final void onClosed(String reason) {
    if (!over) {
      finish();
      onLost(reason);
    }
  }

  @Override
  public final void onUntrusted(String reason) {
    if (!over) {
      finish();
      onRefused(reason);
    }
  }

  @Override
  public final void onTimer(long nowNanos) {
    timer = Timers.NONE;
    fail(link.peerAddress() + " took the connection, and then " + silence());
  }

  /** Returns what has happened where the peer has not done its part in time. */
  String silence() {
    return "said nothing for "
        + limit.toMillis()
        + " ms where a session was to be opened: it may not be a Verbena "
        + expected()
        + ", or is held up; check the address, or allow more time by connectTimeout";
  }
}
