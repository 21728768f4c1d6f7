package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.api.wire.WireException;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.UpgradeMessage;
import io.verbena.core.memory.Quota;
import io.verbena.core.sequence.Inbox;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes what the peer sends: checks each frame, and hands it, or the message that it ends, to
 * whoever it is for. Each answers with how the peer broke the protocol, or null.
 */
final class IncomingFrames implements Inbox.Receiver {
  /** What the peer may have coming beside replies and cancellations. */
  private static final int MOST_ANSWERS = 1024;

  private static final int MOST_WORDS = 500;

  private final SessionCore session;
  private final Inbox inbox;
  private final HeldMessages held;
  private final Stalls stalls;
  private final WireDecoder decoder = new WireDecoder();
  private final LongMessages longMessages;

  /** What gives back the memory of a message that has waited for values, while it is delivered. */
  private @Nullable Runnable memory;

  /** What came beside the message that is being delivered. */
  private MemorySegment @Nullable [] values;

  IncomingFrames(SessionCore session) {
    this.session = session;
    SessionContext context = session.context();
    this.inbox = new Inbox(context.limits().maxMessageBytes(), session.memory().assemblies(), this);
    this.held = new HeldMessages(session, this);
    this.stalls = new Stalls(session, inbox, held);
    this.longMessages = new LongMessages(session);
  }

  /** Returns a text of the peer's as it may be kept, and logged. */
  static String brief(String text) {
    return text.length() <= MOST_WORDS ? text : text.substring(0, MOST_WORDS) + "…";
  }

  Inbox inbox() {
    return inbox;
  }

  WireDecoder decoder() {
    return decoder;
  }

  /** Returns whether calls of the peer's wait for values beside them. */
  boolean holdsRequests() {
    return held.holdsRequests();
  }

  Stalls stalls() {
    return stalls;
  }

  /** Forgets the messages that wait for values: there is no peer any more. */
  void forgetHeld() {
    held.clear();
  }

  /** The next frame is the first of another peer. */
  void restart() {
    inbox.restart();
  }

  void onFrame(Lane lane, ByteBuffer buffer, int from, int to) {
    String wrong;
    try {
      wrong = take(lane, buffer, from, to);
    } catch (WireException e) {
      wrong = e.getMessage();
    }
    if (wrong != null) {
      session.breakOff(wrong);
    }
    session.pump().frameTaken();
  }

  private @Nullable String take(Lane lane, ByteBuffer buffer, int from, int to) {
    if (to - from < FrameHeader.BYTES) {
      return "a frame of " + (to - from) + " bytes";
    }
    long first = FrameHeader.first(buffer, from);
    String misfit = FrameHeader.misfit(first, lane.epoch());
    if (misfit != null) {
      return misfit;
    }
    FrameKind kind = FrameKind.ofCode(FrameHeader.kindCode(first));
    if (kind == null) {
      return "a frame of unknown kind " + FrameHeader.kindCode(first);
    }
    long second = FrameHeader.second(buffer, from);
    if (!session.outbox().acknowledgeNear(FrameHeader.acknowledged(second))) {
      return "an acknowledgement of frames that were never sent";
    }
    if (!kind.isOfCall()) {
      session.schedulePump(); // else whoever takes it says what is to be sent
    }
    if (session.outbox().answersWaiting() > MOST_ANSWERS + 2L * session.limits().maxCalls()) {
      return "more than "
          + session.outbox().answersWaiting()
          + " answers wait that the peer does not take";
    }
    if (!kind.sequenced()) {
      decoder.start(buffer, from + FrameHeader.BYTES, to, session.limits().maxDepth());
      return takeUnsequenced(lane, kind, FrameHeader.callId(FrameHeader.third(buffer, from)));
    }
    return session.lanes().carriesIn(lane)
        ? inbox.accept(kind, first, FrameHeader.about(second), buffer, from, to)
        : "a numbered frame on the " + lane + ", which carries none now";
  }

  private @Nullable String takeUnsequenced(Lane lane, FrameKind kind, long transfer) {
    boolean firstOnly = kind == FrameKind.PATH_CHANGED || kind == FrameKind.SETTLE;
    if (firstOnly && lane != session.lanes().control()) {
      return kind + " on the " + lane + ", which is not the session's first";
    }
    switch (kind) {
      case ACK -> {}
      case PONG -> lane.roundTrip().answered();
      case PING -> lane.say(FrameKind.PONG);
      case BULK_PROGRESS -> {
        return session.transfers().takeProgress(transfer, decoder);
      }
      case PATH_CHANGED -> {
        return session.lanes().peerChanged(decoder);
      }
      case SETTLE -> {
        return session.lanes().peerSettles(decoder);
      }
      case GOODBYE -> {
        session.role().peerLeft("the peer closed the session");
      }
      default -> {
        return kind + " in an open session";
      }
    }
    return null;
  }

  @Override
  public void onMessage(
      FrameKind kind, int flags, int timeLeft, long call, ByteBuffer buffer, int from, int to) {
    String wrong;
    try {
      wrong =
          (flags & FrameHeader.FLAG_PARTS) != 0
              ? held.take(kind, flags, timeLeft, call, buffer, from, to)
              : takeWhole(kind, flags, timeLeft, call, buffer, from, to);
    } catch (OutOfMemoryError e) {
      session.giveUp(kind + " could not be taken: " + Inbox.NO_HEAP);
      return;
    }
    if (wrong != null) {
      session.breakOff(wrong);
    }
  }

  /** Returns where long messages wait to be read. */
  LongMessages longMessages() {
    return longMessages;
  }

  /**
   * Leaves the memory of the message that is being delivered counted as it is.
   *
   * @return gives it back, on any thread; null if it is a frame, which is not counted
   */
  @Nullable Runnable takeMemory() {
    Runnable taken = memory == null ? inbox.handOver() : memory;
    memory = null;
    return taken;
  }

  /**
   * Keeps the body of the message that is being delivered for longer than that lasts.
   *
   * @return null if there is no memory for it
   */
  LongMessages.@Nullable Body keep(ByteBuffer buffer, int from, int to) {
    Runnable counted = takeMemory();
    if (counted != null) {
      return new LongMessages.Body(buffer, from, to, values, counted);
    }
    Quota.Share share = session.memory().assemblies();
    int length = to - from;
    if (!share.take(length)) {
      return null;
    }
    try {
      byte[] copy = new byte[length];
      buffer.get(from, copy);
      Runnable free = () -> share.give(length);
      return new LongMessages.Body(ByteBuffer.wrap(copy), 0, length, values, free);
    } catch (OutOfMemoryError e) {
      share.give(length);
      throw e;
    }
  }

  /**
   * Takes a message that has waited for the values beside it.
   *
   * @param free gives back the memory of both
   */
  void deliver(
      FrameKind kind,
      int flags,
      int timeLeft,
      long call,
      ByteBuffer body,
      MemorySegment[] values,
      Runnable free) {
    String wrong;
    this.values = values;
    memory = free;
    decoder.parts(values);
    try {
      wrong = takeWhole(kind, flags, timeLeft, call, body, 0, body.capacity());
    } catch (WireException e) {
      wrong = e.getMessage();
    } catch (OutOfMemoryError e) {
      session.giveUp(kind + " could not be taken: " + Inbox.NO_HEAP);
      return;
    } finally {
      decoder.parts(null);
      this.values = null;
      if (memory != null) {
        memory = null;
        free.run();
      }
    }
    if (wrong != null) {
      session.breakOff(wrong);
    }
  }

  private @Nullable String takeWhole(
      FrameKind kind, int flags, int timeLeft, long call, ByteBuffer buffer, int from, int to) {
    long callId = FrameHeader.callId(call);
    if ((flags & FrameHeader.FLAG_METADATA) != 0 && !kind.isOfCall()) {
      return "metadata with " + kind;
    }
    return switch (kind) {
      case REQUEST, ONEWAY ->
          session.incomingCalls().request(kind, flags, timeLeft, call, buffer, from, to);
      case RESULT, DECLARED_ERROR, FAILURE ->
          session.outgoingCalls().reply(kind, flags, callId, buffer, from, to);
      case CANCEL -> session.incomingCalls().cancel(callId);
      case ONEWAY_DONE -> session.outgoingCalls().onewaysDone(buffer, from, to);
      case SERVICES, SCHEMA_REQUEST, SCHEMA ->
          session.remoteServices().take(kind, buffer, from, to);
      case BULK_FETCH,
          BULK_OFFER,
          BULK_GRANT,
          BULK_SENT,
          BULK_DONE,
          BULK_CANCEL,
          BULK_RESUME,
          BULK_RESUMED -> {
        decoder.start(buffer, from, to, session.limits().maxDepth());
        yield session.transfers().take(kind, callId, decoder);
      }
      case DRAINING, LAST_CALL -> {
        decoder.start(buffer, from, to, session.limits().maxDepth());
        yield session.drain().take(kind, decoder);
      }
      case UPGRADE_REQUEST, UPGRADE_OFFER, UPGRADE_DECLINED -> takeUpgrade(kind, buffer, from, to);
      default -> kind + " as a message";
    };
  }

  @Override
  public void onDropped(FrameKind kind, long call, int length, String why) {
    long callId = FrameHeader.callId(call);
    switch (kind) {
      case REQUEST ->
          session
              .incomingCalls()
              .refuse(
                  callId,
                  session.memory().assemblies().mayEverTake(length)
                      ? RpcStatus.RESOURCE_EXHAUSTED
                      : RpcStatus.INVALID_ARGUMENT,
                  "its arguments: " + why);
      case RESULT, DECLARED_ERROR, FAILURE ->
          session.outgoingCalls().replyIncomplete(callId, RpcStatus.RESOURCE_EXHAUSTED, why);
      case ONEWAY -> session.incomingCalls().oneways().refused("its arguments: " + why);
      default -> session.breakOff(kind + " of " + length + " bytes");
    }
  }

  private @Nullable String takeUpgrade(FrameKind kind, ByteBuffer buffer, int from, int to) {
    decoder.start(buffer, from, to, session.limits().maxDepth());
    if (session.role().isClient() == (kind == FrameKind.UPGRADE_REQUEST)) {
      return kind + " from the wrong end";
    }
    if (kind == FrameKind.UPGRADE_REQUEST) {
      session.upgrade().requested(UpgradeMessage.read(decoder));
    } else {
      session.upgrade().answered(kind, decoder);
    }
    return null;
  }
}
