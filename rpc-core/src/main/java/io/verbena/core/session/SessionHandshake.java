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
 * The handshake over a new link, at either end. It sends and receives unnumbered frames until a
 * session owns the link.
 */
abstract class SessionHandshake implements LinkListener {
  private static final int DEPTH = 16;

  final Link link;
  EventLoop loop;
  private final WireDecoder decoder = new WireDecoder();

  /** The longest time for the peer's part. */
  private final Duration limit;

  private long timer = Timers.NONE;
  private boolean over;

  SessionHandshake(Link link, EventLoop loop, Duration limit) {
    this.link = link;
    this.loop = loop;
    this.limit = limit;
  }

  /** Moves the handshake to another loop. */
  final void goOnWith(EventLoop loop) {
    this.loop = loop;
    startTimer();
  }

  final void startTimer() {
    timer = loop.timers().schedule(loop.now() + NanoClock.nanos(limit), now -> fail(late()));
  }

  /** Stops the time limit, because the peer now waits for this end. */
  final void stopTimer() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
  }

  /** Handles a frame of the handshake. Throws WireException if it does not decode. */
  abstract void onWord(FrameKind kind, int epoch, WireDecoder body);

  /** Returns the reason of the failure if the peer has not done its part in time. */
  abstract String late();

  /** The handshake has failed. Called at most once. */
  abstract void onBroken(String reason);

  /** The link was lost before there was a session over it. Called at most once. */
  void onLost(String reason) {
    onBroken(reason);
  }

  /** The link was lost because one end does not trust the other. Called at most once. */
  void onRefused(String reason) {
    onLost(reason);
  }

  /** Ends the handshake. Nothing more is reported. */
  final void finish() {
    if (!over) {
      over = true;
      stopTimer();
      over();
    }
  }

  /** The handshake is over, with any result. Called once. */
  void over() {}

  final boolean isOver() {
    return over;
  }

  /** Sends a frame. If it cannot be sent, the handshake is over. */
  final void send(FrameKind kind, int epoch, Consumer<WireOut> body) {
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
          case BACK_PRESSURED -> fail("the link had no room for a frame of the handshake");
          case CLOSED -> {} // its listener receives the reason
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
   * Returns the error in a header, or null. A greeting of any version is read, so that it can be
   * refused.
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
}
