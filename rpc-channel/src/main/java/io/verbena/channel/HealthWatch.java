package io.verbena.channel;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Asks one server repeatedly for the status of a service. If a question fails, or the server does
 * not serve {@link Health}, the last status stays. Before the first answer, the server counts as
 * not ready. Safe for use by any thread.
 */
final class HealthWatch {
  private final ChannelSettings settings;
  private final HealthRpc.Async health;
  private final String service;
  private final Runnable changed;

  /**
   * Counts sessions: odd while a session is open. An answer that belongs to an earlier session is
   * ignored.
   */
  private final AtomicInteger turn = new AtomicInteger();

  private volatile Health.@Nullable Status status;

  /** Cancels the next question. */
  private volatile Runnable withdraw = () -> {};

  HealthWatch(ChannelSettings settings, Session session, String service, Runnable changed) {
    this.settings = settings;
    this.health = HealthRpc.async(session);
    this.service = service;
    this.changed = changed;
  }

  boolean isServing() {
    return status == Health.Status.SERVING;
  }

  /** Returns whether the first answer is still outstanding. */
  boolean asks() {
    return isOn(turn.get()) && status == null;
  }

  String obstacle() {
    Health.Status now = status;
    String name = service.isEmpty() ? "it" : "its " + service;
    return switch (now) {
      case null -> "it was asked for its health, and has not answered yet";
      case SERVING -> "";
      case NOT_SERVING -> name + " says that it is NOT_SERVING";
      case UNKNOWN ->
          "%s says that it is UNKNOWN: its HealthBoard has no status for '%s'"
              .formatted(name, service);
    };
  }

  /** A session has opened. */
  void begin() {
    int now = turn.get();
    if (!isOn(now) && turn.compareAndSet(now, now + 1)) {
      ask(now + 1);
    }
  }

  /** The session has ended. */
  void end() {
    turn.getAndUpdate(now -> isOn(now) ? now + 1 : now);
    status = null;
    withdraw.run();
  }

  private static boolean isOn(int turn) {
    return (turn & 1) == 1;
  }

  private void ask(int asked) {
    if (turn.get() == asked) {
      health.check(service).whenComplete((answer, failure) -> answered(asked, answer, failure));
    }
  }

  private void answered(int asked, Health.@Nullable Status answer, @Nullable Throwable failure) {
    if (turn.get() != asked) {
      return;
    }
    Health.Status before = status;
    if (failure == null) {
      status = answer;
    } else if (before == null || isUnasked(failure)) {
      status = Health.Status.SERVING;
    }
    if (status != before) {
      changed.run();
    }
    withdraw = settings.time().after(settings.healthNanos(), () -> ask(asked));
    if (turn.get() != asked) {
      withdraw.run(); // the session has ended meanwhile
    }
  }

  private static boolean isUnasked(Throwable failure) {
    return failure instanceof RpcException rpc && rpc.status() == RpcStatus.UNIMPLEMENTED;
  }
}
