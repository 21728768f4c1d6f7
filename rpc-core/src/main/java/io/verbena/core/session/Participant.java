package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.codec.WireDecoder;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.sequence.Message;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A user of a session, such as calls, streams or objects. It handles messages of some kinds and
 * receives the events of the session. The session knows nothing else about it. {@link Participants}
 * keeps all participants in one list, and every event reaches them in this order:
 *
 * <pre>
 *   ending, upgrade       the session's own words come first
 *   contracts             before calls, since a call that fails may make its caller try again
 *   calls made, calls served, their streams, regions, one-way calls that go on, messages that wait for values
 *   objects
 * </pre>
 *
 * <p>On the session's loop.
 */
public interface Participant {
  // ---- what the peer sends ----

  /**
   * Returns the kinds of frames that it handles. No other participant handles them, and they never
   * change.
   */
  default Set<FrameKind> kinds() {
    return Set.of();
  }

  /**
   * Handles a message of one of its kinds, which is valid until this returns. Returns the peer's
   * breach of the protocol, or null.
   */
  default @Nullable String take(Message message) {
    throw new IllegalStateException(message.kind() + " for " + this);
  }

  /**
   * Handles a frame without a number.
   *
   * @param about the number of a call or transfer
   * @param in the body of the frame
   * @return the peer's breach of the protocol, or null
   */
  default @Nullable String takeUnnumbered(FrameKind kind, long about, WireDecoder in) {
    throw new IllegalStateException(kind + " for " + this);
  }

  // ---- its needs ----

  /**
   * Returns whether it has work, now or soon, when messages and frames are sent. When the result
   * changes, it calls {@link SessionImpl#turnsChanged}. While it is false, the next four methods
   * need not be called.
   */
  default boolean takesTurns() {
    return false;
  }

  /** Returns whether an acknowledgement may let it continue. */
  default boolean wantsTurn() {
    return false;
  }

  /** A message is about to be queued. The participant queues messages that must precede it. */
  default void beforeMessage() {}

  /** Frames are about to be sent. */
  default void beforeFrames() {}

  /** Frames have been sent. The participant sends its own after them. */
  default void afterFrames() {}

  /** Returns whether it needs a link if there is none. */
  default boolean wantsLink() {
    return false;
  }

  /** Returns whether a draining session must wait for it. */
  default boolean isBusy() {
    return false;
  }

  /** Returns whether it may have a request for a peer that accepts no more calls. */
  default boolean asksDrainingPeer() {
    return false;
  }

  /**
   * Returns whether it has sent messages that must arrive before the session is closed on this
   * side.
   */
  default boolean hasToArrive() {
    return false;
  }

  /**
   * Returns whether it may run code of users on the loop because of a message from the peer, except
   * for the reply to a call.
   */
  default boolean runsUsersCode() {
    return false;
  }

  /**
   * Returns whether callers must not step the loop because of it. Asked while no call is in flight.
   */
  default boolean keepsLoop() {
    return wantsLink() || isBusy() || hasToArrive() || runsUsersCode();
  }

  // ---- events ----

  /** There is a link to a peer with these limits. */
  default void peerTakes(PeerLimits limits) {}

  /** There is a link again, and the path is known. */
  default void attached() {}

  /** Both directions use the better link. Work that waited for it continues. */
  default void upgraded() {}

  /** The path of sent messages has changed, or the reason for it. */
  default void pathChanged() {}

  /** A link is closed, and no device reads or writes over it any more. */
  default void pathClosed(BulkPath path) {}

  /** This end drains and accepts nothing new from the peer. */
  default void draining(String reason) {}

  /** The peer accepts no more calls. */
  default void peerDrains(String reason) {}

  /** No link is available now. */
  default void noLink(RpcStatus status, String reason) {}

  /** The peer is gone. Nothing waits for the next peer, because the channel has other servers. */
  default void noNextPeer(String reason) {}

  /**
   * The peer is gone with everything that it had received.
   *
   * @param forGood whether the session is over. Otherwise messages that the peer had not received
   *     may go to the next peer
   */
  default void peerGone(RpcStatus status, String reason, boolean forGood) {}

  /**
   * The session closes on this side as soon as the messages that must arrive have arrived.
   * Everything else ends now.
   */
  default void aboutToEnd(RpcStatus status, String reason) {}

  /** The session is about to end. Delayed messages are sent now. */
  default void lastWords() {}

  /** Others need the memory of arriving messages. The participant records their progress. */
  default void markArrivals() {}

  /** Ends arriving messages that made no progress since they were marked. */
  default void endStalled(String why) {}
}
