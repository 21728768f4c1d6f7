package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.codec.WireDecoder;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.sequence.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What lies on a session, which knows no more of it than this: it takes messages of some kinds, and
 * hears what becomes of the session. {@link Participants} has them in one list, and each hears of
 * whatever happens in that order:
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

  /** Returns the kinds of frames that it takes: no other does. Always the same. */
  default List<FrameKind> kinds() {
    return List.of();
  }

  /**
   * Takes a message of one of its kinds, which is here until this returns; returns how the peer
   * broke the protocol, or null.
   */
  default @Nullable String take(Message message) {
    throw new IllegalStateException(message.kind() + " for " + this);
  }

  /**
   * Takes a frame that is not numbered.
   *
   * @param about the number of a call or transfer
   * @param in its body
   * @return how the peer broke the protocol, or null
   */
  default @Nullable String takeUnnumbered(FrameKind kind, long about, WireDecoder in) {
    throw new IllegalStateException(kind + " for " + this);
  }

  // ---- what it wants ----

  /**
   * Returns whether there is, or may soon be, something to do for it as messages and frames are
   * sent. When that begins, it has the session {@linkplain SessionImpl#turnsChanged hear}; where it
   * does not, none of the four below would do anything.
   */
  default boolean takesTurns() {
    return false;
  }

  /** Returns whether an acknowledgement may let it go on. */
  default boolean wantsTurn() {
    return false;
  }

  /** A message is added to those to be sent: what was to go with the next one goes before it. */
  default void beforeMessage() {}

  /** Frames are about to be sent. */
  default void beforeFrames() {}

  /** Frames have been sent; its own are sent behind them. */
  default void afterFrames() {}

  /** Returns whether it wants a link where there is none. */
  default boolean wantsLink() {
    return false;
  }

  /** Returns whether a session that drains has to wait for it. */
  default boolean isBusy() {
    return false;
  }

  /** Returns whether it may have something to ask of a peer that takes no more calls. */
  default boolean asksDrainingPeer() {
    return false;
  }

  /** Returns whether it has sent what must arrive before the session is closed on this side. */
  default boolean hasToArrive() {
    return false;
  }

  // ---- what happens ----

  /** There is a link to a peer that takes so much. */
  default void peerTakes(PeerLimits limits) {}

  /** There is a link again, and the path is known. */
  default void attached() {}

  /** Both directions ride the better link: what had to wait for that goes on. */
  default void upgraded() {}

  /** The path that what is sent takes has changed, or why it is what it is. */
  default void pathChanged() {}

  /** A link is closed, and nothing is read or written over it any more. */
  default void pathClosed(BulkPath path) {}

  /** This end takes up nothing more of the peer's. */
  default void drains(String reason) {}

  /** The peer takes no more calls. */
  default void peerDrains(String reason) {}

  /** No link can be had now. */
  default void noLink(RpcStatus status, String reason) {}

  /** The peer is gone, and nothing waits for the next: there are other servers. */
  default void noNextPeer(String reason) {}

  /**
   * The peer is gone with what it had taken.
   *
   * @param forGood whether the session is over; else what the peer had not taken may go to the next
   */
  default void peerGone(RpcStatus status, String reason, boolean forGood) {}

  /** The session closes on this side as soon as all has arrived that has to; nothing else waits. */
  default void closes(RpcStatus status, String reason) {}

  /** The session is about to end: the peer is told what was put off. */
  default void lastWords() {}

  /** Others want the memory that arrivals have: notes how far they are. */
  default void markArrivals() {}

  /** Ends arrivals that are where they were marked. */
  default void endStalled(String why) {}
}
