package io.verbena.simulation.check;

import io.verbena.simulation.plan.Step.CallKind;
import org.jspecify.annotations.Nullable;

/** What is known of one call. */
public final class Entry {
  final long op;
  final String session;
  final CallKind kind;
  final long issued;
  final long timeout;
  final long stillBefore;
  final boolean ordered;
  long ended = -1;
  boolean cancelled;
  int executions;
  long ticket = -1;
  String incarnation = "";
  String process = "";
  @Nullable Throwable failure;

  /** Returns its number. */
  public long op() {
    return op;
  }

  /** Returns whose call it is. */
  public String session() {
    return session;
  }

  /** Returns whether a handler has begun with it. */
  public boolean isExecuted() {
    return executions > 0;
  }

  Entry(
      long op,
      String session,
      CallKind kind,
      long issued,
      long timeout,
      long stillBefore,
      boolean ordered) {
    this.op = op;
    this.session = session;
    this.kind = kind;
    this.issued = issued;
    this.timeout = timeout;
    this.stillBefore = stillBefore;
    this.ordered = ordered;
  }
}
