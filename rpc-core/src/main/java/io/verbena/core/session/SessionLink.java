package io.verbena.core.session;

import io.verbena.api.wire.WireException;
import io.verbena.codec.WireDecoder;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Message;
import io.verbena.core.sequence.Outbox;
import io.verbena.link.BulkPort;
import io.verbena.link.Link;
import io.verbena.link.LinkListener;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One link of a session, with its epoch and its signs of life. It checks each frame of the peer. It
 * handles the frames that concern only links, and passes the others to the session.
 */
final class SessionLink implements LinkListener {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(SessionLink.class, "frames that could not be taken");

  /** The flags that only frames of calls may have. */
  private static final int OF_CALLS = FrameHeader.FLAG_METADATA | FrameHeader.FLAG_COMPRESSED;

  /** The largest number of waiting answers beside replies and cancellations. */
  private static final int MOST_ANSWERS = 1024;

  final Link link;

  /** The link's number in the session. */
  final int epoch;

  final RoundTrip roundTrip;
  private final SessionLinks links;
  private final Outbox outbox;
  private final Inbox inbox;
  private final WireDecoder decoder;
  private final EventLoop loop;
  private final long mostAnswers;
  private final Keepalive keepalive;
  private final @Nullable BulkPath bulkPath;
  private boolean closed;
  private boolean forgotten;

  SessionLink(SessionLinks links, Link link, int epoch) {
    SessionLimits limits = links.context.limits();
    this.links = links;
    this.outbox = links.outbox;
    this.inbox = links.inbox;
    this.decoder = links.decoder;
    this.loop = links.context.loop();
    this.mostAnswers = MOST_ANSWERS + 2L * limits.maxCalls();
    this.link = link;
    this.epoch = epoch;
    BulkPort bulk = link.bulk();
    this.bulkPath = bulk == null ? null : new BulkPath(epoch, bulk);
    this.roundTrip = new RoundTrip();
    this.keepalive = new Keepalive(limits);
    keepalive.start();
  }

  /** Returns the path of bulk bytes over this link; null if it moves none or is closed. */
  @Nullable BulkPath bulkPath() {
    return closed ? null : bulkPath;
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the time for which the peer may be silent. */
  long mostSilentNanos() {
    return keepalive.mostSilentNanos();
  }

  /** Ignores further frames of this link. Only its close is still handled. */
  void forget() {
    forgotten = true;
    keepalive.stop();
  }

  /** Closes a new link for which the session has no use. Returns this. */
  SessionLink discard() {
    forget();
    link.abort("discarded: the session does not need this link any more");
    return this;
  }

  /** Sends a frame without a number. Returns whether the link accepted it. */
  boolean send(Slot slot) {
    try {
      Outbox.stamp(slot, epoch, 0, inbox.received(), loop);
      boolean sent = !closed && link.send(slot) == SendResult.SENT;
      if (sent) {
        links.schedule(); // for the flush; without room, onWritable comes first
      }
      return sent;
    } finally {
      slot.release();
    }
  }

  /** Sends a frame without a body. Returns whether the link accepted it. */
  boolean send(FrameKind kind) {
    Slot slot = links.context.slots().claim();
    if (slot == null) {
      slot = Slot.unpooled(FrameHeader.BYTES);
    }
    slot.header(FrameHeader.first(kind, 0), 0);
    slot.length(FrameHeader.BYTES);
    return send(slot);
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    if (forgotten) {
      return;
    }
    keepalive.heard();
    try {
      Message message = null;
      try {
        message = accept(buffer, from, to);
      } catch (WireException e) { // the peer broke the protocol
        links.breakOff(String.valueOf(e.getMessage()));
      }
      if (message != null) {
        links.deliver(message);
      }
      links.frameTaken();
    } catch (Throwable thrown) { // only this session fails, not the others on the same loop
      FAILED.error("A frame over the {} could not be taken; the link is closed", this, thrown);
      link.abort("a frame could not be taken: " + Thrown.words(thrown));
    }
  }

  /**
   * Handles a frame.
   *
   * @return the message that the frame is or completes, for delivery; null if there is none
   */
  private @Nullable Message accept(ByteBuffer buffer, int from, int to) {
    if (to - from < FrameHeader.BYTES) {
      throw new WireException("a frame of " + (to - from) + " bytes");
    }
    long first = FrameHeader.first(buffer, from);
    String misfit = FrameHeader.misfit(first, epoch);
    if (misfit != null) {
      throw new WireException(misfit);
    }
    FrameKind kind = FrameKind.ofCode(FrameHeader.kindCode(first));
    if (kind == null) {
      throw new WireException("a frame of unknown kind " + FrameHeader.kindCode(first));
    }
    if ((FrameHeader.flags(first) & OF_CALLS) != 0) {
      checkFlags(FrameHeader.flags(first), kind);
    }
    long second = FrameHeader.second(buffer, from);
    if (!outbox.acknowledgeNear(FrameHeader.acknowledged(second))) {
      throw new WireException("an acknowledgement of frames that were never sent");
    }
    if (!kind.isOfCall()) {
      links.schedule(); // otherwise the participant schedules its answer
    }
    int answers = outbox.answersWaiting();
    if (answers > mostAnswers) {
      throw new WireException(
          "more than " + answers + " answers wait because the peer does not read them");
    }
    if (kind.sequenced()) {
      if (!links.carriesIn(this)) {
        throw new WireException(
            "a numbered frame on the " + this + ", which carries no numbered frames now");
      }
      return inbox.accept(kind, first, FrameHeader.about(second), buffer, from, to);
    }
    decoder.start(buffer, from + FrameHeader.BYTES, to, links.context.limits().maxDepth());
    String wrong = takeUnnumbered(kind, FrameHeader.callId(FrameHeader.third(buffer, from)));
    if (wrong != null) {
      throw new WireException(wrong);
    }
    return null;
  }

  private void checkFlags(int flags, FrameKind kind) {
    boolean compressed = (flags & FrameHeader.FLAG_COMPRESSED) != 0;
    if (!kind.isOfCall() || (compressed && !kind.sequenced())) {
      throw new WireException((compressed ? "compression" : "metadata") + " with " + kind);
    }
    if (compressed && links.context.compression() == null) {
      throw new WireException("a compressed " + kind + ", although this end accepts none");
    }
    if (compressed && (flags & FrameHeader.FLAG_LARGE_VALUES) != 0) {
      throw new WireException("a compressed " + kind + " with values beside it");
    }
  }

  private @Nullable String takeUnnumbered(FrameKind kind, long about) {
    boolean firstOnly = kind == FrameKind.PATH_CHANGED || kind == FrameKind.SETTLE;
    if (firstOnly && this != links.control()) {
      return kind + " on the " + this + ", which is not the session's first";
    }
    switch (kind) {
      case ACK -> {}
      case PONG -> {
        roundTrip.answered();
        links.heard(this);
      }
      case PING -> {
        send(FrameKind.PONG);
        links.heard(this);
      }
      case PATH_CHANGED -> {
        return links.peerChanged(decoder);
      }
      case SETTLE -> {
        return links.peerSettles(decoder);
      }
      case GOODBYE -> {
        outbox.peerLeft();
        links.role.peerLeft("the peer closed the session");
      }
      default -> {
        Participant taker = links.participants.takers.get(kind);
        return taker == null
            ? kind + " in an open session"
            : taker.takeUnnumbered(kind, about, decoder);
      }
    }
    return null;
  }

  @Override
  public void onBulkMoved() {
    if (!forgotten) {
      keepalive.heard();
      links.schedule();
    }
  }

  @Override
  public void onWritable() {
    links.schedule();
  }

  @Override
  public void onClosed(String reason) {
    closed = true;
    keepalive.stop();
    links.onClosed(this, bulkPath, reason);
  }

  @Override
  public String toString() {
    return link.capabilities().kind() + " link " + epoch + " to " + link.peerAddress();
  }

  /**
   * Measures the round trip over one link. It takes the shortest of a few measurements, because
   * every disturbance makes one longer.
   */
  final class RoundTrip {
    private static final int SAMPLES = 16;

    private final List<Runnable> waiting = new ArrayList<>();
    private int left;
    private boolean asking;
    private long askedNanos;
    private long best = Long.MAX_VALUE;

    /**
     * Begins a measurement, or begins it again. The action runs when it is complete, and never if
     * the link is lost first.
     */
    void measure(Runnable then) {
      waiting.add(then);
      left = SAMPLES;
      ask();
    }

    private void ask() {
      if (!asking) {
        askedNanos = loop.clock().nanoTime();
        asking = send(FrameKind.PING);
      }
    }

    /** The peer has answered a ping. */
    void answered() {
      if (!asking) {
        return;
      }
      asking = false;
      best = Math.min(best, loop.clock().nanoTime() - askedNanos);
      left--;
      if (left > 0) {
        ask();
      } else {
        List<Runnable> told = List.copyOf(waiting);
        waiting.clear();
        told.forEach(Runnable::run);
      }
    }

    /** Returns the shortest round trip in nanoseconds; 0 while none is known. */
    long nanos() {
      return best == Long.MAX_VALUE ? 0 : best;
    }
  }

  /**
   * Detects a silent peer on one link. A pause of this process does not count against the peer: if
   * the timer runs late, frames of the peer may still wait to be read.
   *
   * <p>Both ends ping by their own limits, but no more often than the other end allows. A peer that
   * is asked less often is given up later.
   */
  private final class Keepalive implements Timers.Timer {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long ownPingNanos;
    private final long ownDeadNanos;
    private long timer = Timers.NONE;
    private long dueNanos;
    private long heardNanos;

    Keepalive(SessionLimits limits) {
      this.ownPingNanos = NanoClock.nanos(limits.pingInterval());
      this.ownDeadNanos = NanoClock.nanos(limits.deadAfter());
    }

    void start() {
      stop();
      heard();
      schedule();
    }

    void stop() {
      loop.timers().cancel(timer);
      timer = Timers.NONE;
    }

    /** A frame or bulk bytes have arrived from the peer. */
    void heard() {
      heardNanos = loop.now();
    }

    /**
     * Returns the interval of pings. It is read each time, because the peer sends its limits after
     * the link has started.
     */
    private long pingNanos() {
      return Math.max(ownPingNanos, outbox.peerLimits().leastPingMillis() * NANOS_PER_MILLI);
    }

    /** Returns the time after which a silent peer is given up. */
    long mostSilentNanos() {
      return Math.max(ownDeadNanos, 2 * pingNanos());
    }

    private void schedule() {
      dueNanos = loop.now() + pingNanos();
      timer = loop.timers().schedule(dueNanos, this);
    }

    @Override
    public void onTimer(long nowNanos) {
      timer = Timers.NONE;
      long pingNanos = pingNanos();
      boolean paused = nowNanos - dueNanos > pingNanos;
      if (paused) {
        heardNanos = nowNanos;
      }
      long silent = nowNanos - heardNanos;
      if (silent >= mostSilentNanos()) {
        link.abort("no sign of life from the peer for " + silent / NANOS_PER_MILLI + " ms");
        return;
      }
      if (silent >= pingNanos / 2) {
        send(FrameKind.PING);
      }
      schedule();
      links.timePassed(SessionLink.this, nowNanos, paused);
    }
  }
}
