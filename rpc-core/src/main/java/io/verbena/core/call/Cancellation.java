package io.verbena.core.call;

import io.verbena.api.RpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who has a call on its handler's side, and whether anybody waits for its result. Safe for use by
 * any thread, but {@link #renew}.
 */
final class Cancellation {
  /** Whether a thread has taken the call, or it was answered without: only one of them may be. */
  private boolean taken;

  private boolean cancelled;
  private boolean expired;
  private @Nullable Thread runner;
  private @Nullable List<Runnable> actions;

  /** Begins anew, for another call. On the loop, when no handler runs. */
  void renew() {
    if (cancelled || taken || actions != null) { // hardly ever, and a lock costs as much as a call
      synchronized (this) {
        cancelled = false;
        expired = false;
        taken = false;
        actions = null;
      }
    }
  }

  /** Takes the call; returns whether nobody had. */
  synchronized boolean take() {
    boolean first = !taken;
    taken = true;
    return first;
  }

  /** Gives the call back, to be taken later. */
  synchronized void putBack() {
    taken = false;
  }

  /** The call's handler begins on this thread, which a cancellation interrupts. */
  synchronized void handlerBegins() {
    runner = Thread.currentThread();
    if (cancelled) {
      runner.interrupt();
    }
  }

  /** The call's handler has ended. */
  synchronized void handlerEnded() {
    runner = null;
    actions = null;
  }

  synchronized boolean isCancelled() {
    return cancelled;
  }

  /** What to call it that a handler was stopped: its reply may come before its caller's timer. */
  synchronized RpcStatus status() {
    return expired ? RpcStatus.DEADLINE_EXCEEDED : RpcStatus.CANCELLED;
  }

  /** Runs an action when the call is cancelled; at once if it is. */
  void onCancel(Runnable action) {
    synchronized (this) {
      if (!cancelled) {
        if (actions == null) {
          actions = new ArrayList<>();
        }
        actions.add(action);
        return;
      }
    }
    action.run();
  }

  /** From now on a cancellation is for the time that is up. */
  synchronized void expire() {
    expired = !cancelled;
  }

  /** Interrupts the handler, and has the actions run as users' code does. */
  void cancel(Consumer<Runnable> runs) {
    List<Runnable> due;
    synchronized (this) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      due = actions == null ? List.of() : actions;
      actions = null;
      if (runner != null) {
        runner.interrupt();
      }
    }
    due.forEach(runs);
  }
}
