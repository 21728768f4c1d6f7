package io.verbena.observe.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionPath;
import io.verbena.core.stat.Stats;
import io.verbena.observe.Conventions;

/**
 * Counts events of sessions: {@code verbena.session.events} by event, and {@code
 * verbena.path.changes} by the new path. Pass it to a builder's {@code sessionListener}. Safe for
 * use by any thread.
 */
public final class SessionMetrics implements SessionListener {
  private final MeterRegistry registry;

  /** Makes a listener that counts in a registry. */
  public SessionMetrics(MeterRegistry registry) {
    this.registry = registry;
    for (String event : new String[] {"opened", "lost", "resumed", "draining", "ended"}) {
      count(event, 0);
    }
    for (String path : Stats.linkKinds()) {
      changedTo(path, 0);
    }
  }

  private void changedTo(String path, int more) {
    Counter.builder("verbena.path.changes")
        .description("Changes of path, by the new path")
        .tag(Conventions.PATH, path)
        .register(registry)
        .increment(more);
  }

  private void count(String event, int more) {
    Counter.builder("verbena.session.events")
        .description("Events of sessions")
        .tag("verbena.event", event)
        .register(registry)
        .increment(more);
  }

  @Override
  public void opened(Session session) {
    count("opened", 1);
  }

  @Override
  public void pathChanged(Session session, SessionPath path) {
    changedTo(path.link(), 1);
  }

  @Override
  public void lost(Session session, String reason) {
    count("lost", 1);
  }

  @Override
  public void resumed(Session session) {
    count("resumed", 1);
  }

  @Override
  public void draining(Session session, String reason) {
    count("draining", 1);
  }

  @Override
  public void ended(Session session, RpcStatus status, String reason) {
    count("ended", 1);
  }
}
