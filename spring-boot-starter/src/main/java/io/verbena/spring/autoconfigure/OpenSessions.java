package io.verbena.spring.autoconfigure;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions of one client or server that are open, for its health. */
final class OpenSessions {
  private final Set<Session> open = ConcurrentHashMap.newKeySet();

  /** Returns them. */
  Set<Session> all() {
    return Set.copyOf(open);
  }

  /** Returns what is to be told of every session. It is no bean: others' ends tell it nothing. */
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
