package io.verbena.core.session;

import io.verbena.api.wire.WireException;
import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Message;
import io.verbena.link.memory.Progress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes what the peer sends: checks each frame, and hands it, or the message that it ends, to
 * whoever it is for. Each answers with how the peer broke the protocol, or null.
 */
final class IncomingFrames {
  /** What the peer may have coming beside replies and cancellations. */
  private static final int MOST_ANSWERS = 1024;

  private final SessionImpl session;
  private final Inbox inbox;
  private final Stalls stalls;
  private final WireDecoder decoder = new WireDecoder();

  IncomingFrames(SessionImpl session) {
    this.session = session;
    SessionContext context = session.context();
    this.inbox = new Inbox(context.limits().maxMessageBytes(), session.memory().assemblies());
    this.stalls = new Stalls(session, inbox);
  }

  Inbox inbox() {
    return inbox;
  }

  WireDecoder decoder() {
    return decoder;
  }

  /** Others want memory that arrivals have. Safe for any thread. */
  void arrivalsWanted() {
    stalls.wanted();
  }

  /**
   * Takes a frame, and breaks the session off where the peer broke the protocol.
   *
   * @return the message that it is, or makes whole, which is to be {@linkplain #deliver delivered};
   *     null where there is none
   */
  @Nullable Message take(SessionLink sessionLink, ByteBuffer buffer, int from, int to) {
    try {
      return accept(sessionLink, buffer, from, to);
    } catch (WireException e) {
      session.breakOff(String.valueOf(e.getMessage()));
      return null;
    }
  }

  private @Nullable Message accept(SessionLink sessionLink, ByteBuffer buffer, int from, int to) {
    if (to - from < FrameHeader.BYTES) {
      throw new WireException("a frame of " + (to - from) + " bytes");
    }
    long first = FrameHeader.first(buffer, from);
    String misfit = FrameHeader.misfit(first, sessionLink.epoch());
    if (misfit != null) {
      throw new WireException(misfit);
    }
    FrameKind kind = FrameKind.ofCode(FrameHeader.kindCode(first));
    if (kind == null) {
      throw new WireException("a frame of unknown kind " + FrameHeader.kindCode(first));
    }
    if ((FrameHeader.flags(first) & FrameHeader.FLAG_METADATA) != 0 && !kind.isOfCall()) {
      throw new WireException("metadata with " + kind);
    }
    long second = FrameHeader.second(buffer, from);
    if (!session.outbox().acknowledgeNear(FrameHeader.acknowledged(second))) {
      throw new WireException("an acknowledgement of frames that were never sent");
    }
    if (!kind.isOfCall()) {
      session.schedulePump(); // else whoever takes it says what is to be sent
    }
    int answers = session.outbox().answersWaiting();
    if (answers > MOST_ANSWERS + 2L * session.limits().maxCalls()) {
      throw new WireException("more than " + answers + " answers wait that the peer does not take");
    }
    if (kind.sequenced()) {
      if (!session.links().carriesIn(sessionLink)) {
        throw new WireException(
            "a numbered frame on the " + sessionLink + ", which carries none now");
      }
      return inbox.accept(kind, first, FrameHeader.about(second), buffer, from, to);
    }
    decoder.start(buffer, from + FrameHeader.BYTES, to, session.limits().maxDepth());
    String wrong =
        takeUnsequenced(sessionLink, kind, FrameHeader.callId(FrameHeader.third(buffer, from)));
    if (wrong != null) {
      throw new WireException(wrong);
    }
    return null;
  }

  private @Nullable String takeUnsequenced(SessionLink sessionLink, FrameKind kind, long about) {
    boolean firstOnly = kind == FrameKind.PATH_CHANGED || kind == FrameKind.SETTLE;
    if (firstOnly && sessionLink != session.links().control()) {
      return kind + " on the " + sessionLink + ", which is not the session's first";
    }
    switch (kind) {
      case ACK -> {}
      case PONG -> sessionLink.roundTrip().answered();
      case PING -> sessionLink.say(FrameKind.PONG);
      case PATH_CHANGED -> {
        return session.links().peerChanged(decoder);
      }
      case SETTLE -> {
        return session.links().peerSettles(decoder);
      }
      case GOODBYE -> {
        session.role().peerLeft("the peer closed the session");
      }
      default -> {
        Participant taker = session.taker(kind);
        return taker == null
            ? kind + " in an open session"
            : taker.takeUnnumbered(kind, about, decoder);
      }
    }
    return null;
  }

  /** Hands a message to whoever it is for: one that has just come, or one whose values have. */
  void deliver(Message message) {
    FrameKind kind = message.kind();
    String wrong;
    decoder.parts(message.values());
    try {
      Participant taker = session.taker(kind);
      wrong =
          taker == null
              ? kind + " as a message"
              : message.isWhole() || kind.isOfCall() ? taker.take(message) : partOf(message);
    } catch (WireException e) {
      wrong = e.getMessage();
    } catch (OutOfMemoryError e) {
      session.giveUp(kind + " could not be taken: " + Inbox.NO_HEAP);
      return;
    } finally {
      decoder.parts(null);
      message.release();
    }
    if (wrong != null) {
      session.breakOff(wrong);
    }
  }

  private static String partOf(Message message) {
    return message.dropped() == null
        ? message.kind() + " with values beside it"
        : message.kind() + " of " + message.length() + " bytes";
  }

  /**
   * Ends what of the peer's has stopped in the middle, where others want the memory that it has
   * taken beyond this session's part. A peer that is slow may go on: see {@link Progress}. On the
   * loop, but {@link #wanted}.
   */
  private static final class Stalls implements Timers.Timer {
    private static final Duration LONGEST = Duration.ofSeconds(5);

    static final String WHY =
        "it brought nothing, or hardly anything, for "
            + LONGEST.toSeconds()
            + " s while others wanted the memory that it held";

    private final SessionImpl session;
    private final Inbox inbox;
    private boolean watching;

    Stalls(SessionImpl session, Inbox inbox) {
      this.session = session;
      this.inbox = inbox;
    }

    /** Others want memory. Safe for any thread. */
    void wanted() {
      session.loop().execute(this::watch);
    }

    private void watch() {
      if (!watching && !session.isEnded()) {
        watching = true;
        inbox.mark();
        session.participants().forEach(Participant::markArrivals);
        long now = session.loop().clock().nanoTime();
        session.loop().timers().schedule(now + LONGEST.toNanos(), this);
      }
    }

    @Override
    public void onTimer(long nowNanos) {
      watching = false;
      if (session.memory().assemblies().isBeyondGuaranteed()) {
        inbox.dropStalled(WHY);
      }
      if (session.memory().assemblies().isBeyondGuaranteed()
          || session.memory().values().isBeyondGuaranteed()) {
        session.participants().forEach(one -> one.endStalled(WHY));
      }
    }
  }
}
