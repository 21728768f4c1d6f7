package io.verbena.spring.autoconfigure;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open sessions of one client or server, for its health. */
final class OpenSessions {
  private final Set<Session> open = ConcurrentHashMap.newKeySet();

  /** Returns a copy of the open sessions. */
  Set<Session> all() {
    return Set.copyOf(open);
  }

  /**
   * Returns the listener to register at the end. It is not a bean, because other ends would
   * register it too.
   */
  SessionListener listener() {
    return new SessionListener() {
      @Override
      public void opened(Session session) {
        open.add(session);
      }

      @Override
      public void ended(Session session, RpcStatus status, String reason) {
        open.remove(session);
      }
    };
  }
}
