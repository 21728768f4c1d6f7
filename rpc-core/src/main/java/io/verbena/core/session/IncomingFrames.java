package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.api.wire.WireException;
import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.UpgradeMessage;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Message;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes what the peer sends: checks each frame, and hands it, or the message that it ends, to
 * whoever it is for. Each answers with how the peer broke the protocol, or null.
 */
final class IncomingFrames {
  /** What the peer may have coming beside replies and cancellations. */
  private static final int MOST_ANSWERS = 1024;

  private static final int MOST_WORDS = 500;

  private final SessionImpl session;
  private final Inbox inbox;
  private final MessagesAwaitingValues held;
  private final Stalls stalls;
  private final WireDecoder decoder = new WireDecoder();
  private final LongMessages longMessages;

  IncomingFrames(SessionImpl session) {
    this.session = session;
    SessionContext context = session.context();
    this.inbox = new Inbox(context.limits().maxMessageBytes(), session.memory().assemblies());
    this.held = new MessagesAwaitingValues(session, this);
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

  private @Nullable String takeUnsequenced(SessionLink sessionLink, FrameKind kind, long transfer) {
    boolean firstOnly = kind == FrameKind.PATH_CHANGED || kind == FrameKind.SETTLE;
    if (firstOnly && sessionLink != session.links().control()) {
      return kind + " on the " + sessionLink + ", which is not the session's first";
    }
    switch (kind) {
      case ACK -> {}
      case PONG -> sessionLink.roundTrip().answered();
      case PING -> sessionLink.say(FrameKind.PONG);
      case BULK_PROGRESS -> {
        return session.transfers().takeProgress(transfer, decoder);
      }
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
        return kind + " in an open session";
      }
    }
    return null;
  }

  /** Returns where long messages wait to be read. */
  LongMessages longMessages() {
    return longMessages;
  }

  /** Takes a whole message: one that has just come, or one whose values have. */
  void deliver(Message message) {
    FrameKind kind = message.kind();
    String wrong;
    decoder.parts(message.values());
    try {
      wrong =
          message.isWhole()
              ? switch (kind) {
                case REQUEST, ONEWAY -> session.incomingCalls().request(message);
                case RESULT, DECLARED_ERROR, FAILURE -> session.outgoingCalls().reply(message);
                case CANCEL -> session.incomingCalls().cancel(message.callId());
                case ONEWAY_DONE -> session.outgoingCalls().onewaysDone(decoding(message));
                case SERVICES, SCHEMA_REQUEST, SCHEMA ->
                    session.remoteServices().take(kind, decoding(message));
                case BULK_FETCH,
                    BULK_OFFER,
                    BULK_GRANT,
                    BULK_SENT,
                    BULK_DONE,
                    BULK_CANCEL,
                    BULK_RESUME,
                    BULK_RESUMED ->
                    session.transfers().take(kind, message.callId(), decoding(message));
                case DRAINING, LAST_CALL -> session.drain().take(kind, decoding(message));
                case UPGRADE_REQUEST, UPGRADE_OFFER, UPGRADE_DECLINED ->
                    takeUpgrade(kind, decoding(message));
                default -> kind + " as a message";
              }
              : takeIncomplete(message);
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

  private @Nullable String takeIncomplete(Message message) {
    String dropped = message.dropped();
    return dropped == null ? held.take(message) : dropped(message, dropped);
  }

  private WireDecoder decoding(Message message) {
    decoder.start(message.buffer(), message.from(), message.to(), session.limits().maxDepth());
    return decoder;
  }

  private @Nullable String dropped(Message message, String why) {
    FrameKind kind = message.kind();
    long callId = message.callId();
    int length = message.length();
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
      default -> {
        return kind + " of " + length + " bytes";
      }
    }
    return null;
  }

  private @Nullable String takeUpgrade(FrameKind kind, WireDecoder in) {
    if (session.role().isClient() == (kind == FrameKind.UPGRADE_REQUEST)) {
      return kind + " from the wrong end";
    }
    if (kind == FrameKind.UPGRADE_REQUEST) {
      session.upgrade().requested(UpgradeMessage.read(in));
    } else {
      session.upgrade().answered(kind, in);
    }
    return null;
  }
}
