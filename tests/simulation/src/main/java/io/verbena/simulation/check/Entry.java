package io.verbena.simulation.check;

import io.verbena.api.Session;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.world.SimHost;
import org.jspecify.annotations.Nullable;

/** The journal's entry of one call. */
public final class Entry {
  final long op;
  final String session;
  final SimHost caller;
  final CallKind kind;
  final long issued;
  final long timeout;
  final long stillBefore;
  final boolean ordered;
  long ended = -1;

  /** Whether the caller's process was killed before the call ended. */
  boolean gone;

  boolean cancelled;
  int executions;
  long ticket = -1;

  /** The server's session that executed it; null before. */
  @Nullable Session server;

  @Nullable Throwable failure;

  /** Returns the number of the call. */
  public long op() {
    return op;
  }

  /** Returns the session of the call. */
  public String session() {
    return session;
  }

  /** Returns the time for which the caller's process has stood still since the call was made. */
  long still() {
    return caller.stillNanos() - stillBefore;
  }

  /** Returns whether a handler has started. */
  public boolean isExecuted() {
    return executions > 0;
  }

  Entry(
      long op,
      String session,
      SimHost caller,
      CallKind kind,
      long issued,
      long timeout,
      boolean ordered) {
    this.op = op;
    this.session = session;
    this.caller = caller;
    this.kind = kind;
    this.issued = issued;
    this.timeout = timeout;
    this.stillBefore = caller.stillNanos();
    this.ordered = ordered;
  }
}
