package io.verbena.simulation.check;

import io.verbena.simulation.plan.Step.StreamKind;
import io.verbena.simulation.world.SimHost;
import org.jspecify.annotations.Nullable;

/** The state of one stream at both ends, as their users see it. */
public final class StreamEntry {
  final Entry call;
  final StreamKind kind;
  final boolean arguments;
  @Nullable SimHost sender;
  @Nullable SimHost taker;
  String path = "";

  // ---- its publisher ----

  boolean subscribed;
  long asked;
  int sent;
  Ending publisher = Ending.NONE;

  // ---- its subscriber ----

  boolean taken;
  long requested;
  int received;
  Ending subscriber = Ending.NONE;

  /** Whether the publisher sends no more, or the subscriber requests no more. */
  boolean silent;

  boolean left;

  /** Whether the call has ended, and all that may outlive it. */
  boolean over;

  /** The stream that the call returns, with which this one ends; this stream itself for none. */
  StreamEntry answers = this;

  /** Whether the process of the other end was killed. */
  boolean lost;

  boolean senderGone;
  boolean takerGone;

  /** The end of the stream, as seen by one end. */
  enum Ending {
    NONE,
    COMPLETED,
    FAILED,
    CANCELLED
  }

  StreamEntry(Entry call, StreamKind kind, boolean arguments) {
    this.call = call;
    this.kind = kind;
    this.arguments = arguments;
  }

  /** Returns the number of the call. */
  public long op() {
    return call.op;
  }

  /** Returns whether the caller sends the stream. */
  public boolean isOfArguments() {
    return arguments;
  }

  /** Returns the number of sent items. */
  public int sent() {
    return sent;
  }

  /** Returns the number of received items. */
  public int received() {
    return received;
  }

  /** Returns whether the subscriber gets no more events. */
  public boolean isTaken() {
    return subscriber != Ending.NONE;
  }

  /** Returns whether the stream may end because its call has ended. */
  boolean mayBeOver() {
    return over || call.cancelled || (answers != this && answers.publisher != Ending.NONE);
  }

  boolean isPublishing() {
    return subscribed && publisher == Ending.NONE && !senderGone;
  }

  boolean isTaking() {
    return taken && subscriber == Ending.NONE && !takerGone;
  }

  /** Returns whether one end waits for an event from the other. */
  boolean isOpen() {
    if (isPublishing() && (subscriber != Ending.NONE || over || lost)) {
      return true;
    }
    return isTaking() && (lost || (!left && (over || !silent)));
  }

  @Override
  public String toString() {
    return "%s%s op %d of %s: %d sent of %d, %s; %d taken of %d, %s"
        .formatted(
            kind,
            arguments ? "'s arguments" : "",
            call.op,
            call.session,
            sent,
            asked,
            subscribed ? publisher : "not subscribed",
            received,
            requested,
            subscriber);
  }
}
