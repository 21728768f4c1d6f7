package io.verbena.core.session;

import io.verbena.core.bulk.BulkPath;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.sequence.Message;
import io.verbena.core.sequence.Outbox;
import io.verbena.link.BulkPort;
import io.verbena.link.Link;
import io.verbena.link.LinkListener;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One link under a session, with its epoch and its signs of life. */
final class SessionLink implements LinkListener {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(SessionLink.class, "frames that could not be taken");

  private final SessionImpl session;
  private final IncomingFrames frames;
  private final Link link;
  private final int epoch;
  private final Keepalive keepalive;
  private final @Nullable BulkPath bulkPath;
  private final RoundTrip roundTrip;
  private boolean closed;
  private boolean forgotten;

  SessionLink(SessionImpl session, Link link, int epoch) {
    this.session = session;
    this.frames = session.incomingFrames();
    this.link = link;
    this.epoch = epoch;
    BulkPort bulk = link.bulk();
    this.bulkPath = bulk == null ? null : new BulkPath(epoch, bulk);
    this.roundTrip = new RoundTrip(this, session.loop().clock());
    this.keepalive = new Keepalive(session, this);
    keepalive.start();
  }

  RoundTrip roundTrip() {
    return roundTrip;
  }

  Link link() {
    return link;
  }

  int epoch() {
    return epoch;
  }

  /** Returns this link as bulk uses it; null where it moves none, or is closed. */
  @Nullable BulkPath bulkPath() {
    return closed ? null : bulkPath;
  }

  boolean isClosed() {
    return closed;
  }

  /** Hears no more frames from here on, only that the link has closed. */
  void forget() {
    forgotten = true;
    keepalive.stop();
  }

  /** Sends one frame that is not numbered, and returns whether the link took it. */
  boolean say(Slot slot) {
    try {
      Outbox.stamp(slot, epoch, 0, session.received(), session.loop());
      boolean sent = !closed && link.send(slot) == SendResult.SENT;
      if (sent) {
        session.schedulePump(); // to flush; where there is no room, onWritable comes first
      }
      return sent;
    } finally {
      slot.release();
    }
  }

  /** Sends one frame without a body, and returns whether the link took it. */
  boolean say(FrameKind kind) {
    Slot slot = session.context().slots().claim();
    if (slot == null) {
      slot = Slot.unpooled(FrameHeader.BYTES);
    }
    slot.header(FrameHeader.first(kind, 0), 0);
    slot.length(FrameHeader.BYTES);
    return say(slot);
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    if (forgotten) {
      return;
    }
    keepalive.heard();
    try {
      Message message = frames.take(this, buffer, from, to);
      if (message != null) {
        frames.deliver(message);
      }
      session.pump().frameTaken();
    } catch (Throwable thrown) { // this session's alone, of all whose links are stepped together
      FAILED.error("A frame over the {} could not be taken; the link is closed", this, thrown);
      link.abort("a frame could not be taken: " + Thrown.words(thrown));
    }
  }

  @Override
  public void onBulkMoved() {
    if (!forgotten) {
      keepalive.heard();
      session.schedulePump();
    }
  }

  @Override
  public void onWritable() {
    session.schedulePump();
  }

  @Override
  public void onClosed(String reason) {
    closed = true;
    keepalive.stop();
    if (bulkPath != null) {
      // Before SessionLinks, which has transfers go on by other links: nothing of this one may be
      // theirs
      // then.
      session.participants().forEach(one -> one.pathClosed(bulkPath));
    }
    session.links().onClosed(this, reason);
  }

  @Override
  public String toString() {
    return link.capabilities().kind() + " link " + epoch + " to " + link.peerAddress();
  }
}
