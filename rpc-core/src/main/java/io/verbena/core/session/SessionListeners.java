package io.verbena.core.session;

import io.verbena.api.SessionListener;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Who is told what becomes of every session of a client or server.
 *
 * @param elsewhere runs listeners: one that blocks holds up nobody else's
 * @param listeners those of every session; each may have more of its own
 */
public record SessionListeners(Executor elsewhere, List<SessionListener> listeners) {
  /** Copies the list. */
  public SessionListeners {
    listeners = List.copyOf(listeners);
  }
}
