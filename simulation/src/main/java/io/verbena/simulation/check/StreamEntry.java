package io.verbena.simulation.check;

import io.verbena.simulation.plan.Step.StreamKind;
import io.verbena.simulation.world.SimHost;
import org.jspecify.annotations.Nullable;

/** What is known of one stream: both of its ends, as their users see them. */
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

  /** Its publisher has fallen silent, or its subscriber requests no more. */
  boolean silent;

  boolean left;

  /** Its call has ended, and all that is to outlive that. */
  boolean over;

  /** What its call returns, which it ends with when that has arrived; itself: nothing. */
  StreamEntry answers = this;

  /** The other end's process was killed. */
  boolean lost;

  boolean senderGone;
  boolean takerGone;

  /** How one end has seen it end. */
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

  /** Returns its call's number. */
  public long op() {
    return call.op;
  }

  /** Returns whether its caller sends it. */
  public boolean isOfArguments() {
    return arguments;
  }

  /** Returns how many items were sent. */
  public int sent() {
    return sent;
  }

  /** Returns how many items have arrived. */
  public int received() {
    return received;
  }

  /** Returns whether its subscriber hears nothing more. */
  public boolean isTaken() {
    return subscriber != Ending.NONE;
  }

  /** Returns whether it may end since its call has. */
  boolean mayBeOver() {
    return over || call.cancelled || (answers != this && answers.publisher != Ending.NONE);
  }

  boolean isPublishing() {
    return subscribed && publisher == Ending.NONE && !senderGone;
  }

  boolean isTaking() {
    return taken && subscriber == Ending.NONE && !takerGone;
  }

  /** Returns whether one of its ends waits for the other, and is to hear something. */
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
