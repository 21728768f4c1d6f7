package io.verbena.core.session;

import io.verbena.core.bulk.BulkPath;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
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
      session.links().frameTaken();
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

  /**
   * Measures what it takes to ask the peer over one link and to hear from it: the best of a few
   * times, since all that disturbs a measurement makes it longer.
   */
  static final class RoundTrip {
    private static final int SAMPLES = 16;

    private final SessionLink sessionLink;
    private final NanoClock clock;
    private final List<Runnable> waiting = new ArrayList<>();
    private int left;
    private boolean asking;
    private long askedNanos;
    private long best = Long.MAX_VALUE;

    RoundTrip(SessionLink sessionLink, NanoClock clock) {
      this.sessionLink = sessionLink;
      this.clock = clock;
    }

    /** Begins, or begins again; hears when it is done. Never, if the link is lost meanwhile. */
    void measure(Runnable then) {
      waiting.add(then);
      left = SAMPLES;
      ask();
    }

    private void ask() {
      if (!asking) {
        askedNanos = clock.nanoTime();
        asking = sessionLink.say(FrameKind.PING);
      }
    }

    /** The peer has answered, a question of ours or of the link's keeper. */
    void answered() {
      if (!asking) {
        return;
      }
      asking = false;
      best = Math.min(best, clock.nanoTime() - askedNanos);
      left--;
      if (left > 0) {
        ask();
      } else {
        List<Runnable> told = List.copyOf(waiting);
        waiting.clear();
        told.forEach(Runnable::run);
      }
    }

    /** Returns the shortest in nanoseconds; 0 while none is known. */
    long nanos() {
      return best == Long.MAX_VALUE ? 0 : best;
    }
  }

  /**
   * Notices a peer that has fallen silent on one link. A pause of this very process is not held
   * against the peer: when the timer comes late, what the peer sent meanwhile has yet to be read.
   *
   * <p>Both ends probe by their own limits, but no more often than the other end wants to be asked:
   * who is asked less often is given up later.
   */
  private static final class Keepalive implements Timers.Timer {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final SessionImpl session;
    private final SessionLink sessionLink;
    private final long ownPingNanos;
    private final long ownDeadNanos;
    private long timer = Timers.NONE;
    private long dueNanos;
    private long heardNanos;

    Keepalive(SessionImpl session, SessionLink sessionLink) {
      this.session = session;
      this.sessionLink = sessionLink;
      this.ownPingNanos = NanoClock.nanos(session.limits().pingInterval());
      this.ownDeadNanos = NanoClock.nanos(session.limits().deadAfter());
    }

    void start() {
      stop();
      heard();
      schedule();
    }

    void stop() {
      session.loop().timers().cancel(timer);
      timer = Timers.NONE;
    }

    /** Something has come from the peer. */
    void heard() {
      heardNanos = session.loop().now();
    }

    /** Asked for each time: the peer says what it wants after its link has begun. */
    private long pingNanos() {
      return Math.max(
          ownPingNanos, session.outbox().peerLimits().leastPingMillis() * NANOS_PER_MILLI);
    }

    private void schedule() {
      dueNanos = session.loop().now() + pingNanos();
      timer = session.loop().timers().schedule(dueNanos, this);
    }

    @Override
    public void onTimer(long nowNanos) {
      timer = Timers.NONE;
      long pingNanos = pingNanos();
      if (nowNanos - dueNanos > pingNanos) {
        heardNanos = nowNanos; // this process itself was paused
      }
      long silent = nowNanos - heardNanos;
      if (silent >= Math.max(ownDeadNanos, 2 * pingNanos)) {
        sessionLink
            .link()
            .abort("no sign of life from the peer for " + silent / NANOS_PER_MILLI + " ms");
        return;
      }
      if (silent >= pingNanos / 2) {
        sessionLink.say(FrameKind.PING);
      }
      schedule();
    }
  }
}
