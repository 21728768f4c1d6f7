package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionPath;
import io.verbena.api.SessionState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a session stands, by which path, and who is told of it. Changed on the loop, read by any
 * thread.
 */
final class SessionLife {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLife.class);

  private final Session session;
  private final SessionEvents events;

  /** The path that was told last. */
  private @Nullable SessionPath told;

  private long pathChanges;
  private @Nullable String drainReason;
  private RpcStatus endStatus = RpcStatus.CANCELLED;
  private volatile SessionState state = SessionState.IDLE;
  private volatile SessionPath path = none("not connected yet");

  SessionLife(Session session, SessionContext context) {
    this.session = session;
    this.events = new SessionEvents(context);
  }

  private String name() {
    return "session with " + session.peer().address();
  }

  static SessionPath none(String reason) {
    return new SessionPath("none", reason);
  }

  /** Safe for any thread. */
  SessionState state() {
    return state;
  }

  /** Safe for any thread. */
  SessionPath path() {
    return path;
  }

  /** Returns how often the path or its reason has changed. */
  long pathChanges() {
    return pathChanges;
  }

  boolean isEnded() {
    return state == SessionState.ENDED;
  }

  /** Returns whether the peer takes no more calls. */
  boolean isDraining() {
    return drainReason != null;
  }

  void listen(SessionListener listener) {
    events.add(listener);
    if (state == SessionState.ENDED) {
      tellEnd(listener);
    } else if (state != SessionState.IDLE) {
      events.tell(listener, one -> one.opened(session));
      if (state == SessionState.RESUMING) {
        String reason = path.reason();
        events.tell(listener, one -> one.lost(session, reason));
      }
      String drains = drainReason;
      if (drains != null) {
        events.tell(listener, one -> one.draining(session, drains));
      }
    }
  }

  private void tellEnd(SessionListener listener) {
    RpcStatus status = endStatus;
    String reason = path.reason();
    events.tell(listener, one -> one.ended(session, status, reason));
  }

  // ---- what happens, on the loop ----

  /** A link carries calls. */
  void goesOver(SessionPath now) {
    take(now);
    SessionPath before = told;
    told = now;
    boolean changed = !now.equals(before);
    if (changed) {
      pathChanges++;
    }
    switch (state) {
      case IDLE -> {
        state = SessionState.OPEN;
        LOG.debug("{} opened, over {}", name(), now);
        events.tell(one -> one.opened(session));
      }
      case RESUMING -> {
        state = isDraining() ? SessionState.DRAINING : SessionState.OPEN;
        LOG.debug("{} resumed, over {}", name(), now);
        events.tell(one -> one.resumed(session));
        if (changed) {
          events.tell(one -> one.pathChanged(session, now));
        }
      }
      default -> {
        if (changed) {
          LOG.debug("{} now goes over {} instead of {}", name(), now, before);
          events.tell(one -> one.pathChanged(session, now));
        }
      }
    }
  }

  private void take(SessionPath now) {
    SessionPath before = path;
    path = now;
    if (!now.equals(before)) {
      PathChangeEvent.record(session.peer().address(), before, now);
    }
  }

  /** No link carries calls for now, and nobody needs to be told. */
  void goesOverNone(String reason) {
    take(none(reason));
  }

  /** Every link is gone; the session resumes. */
  void lost(String reason) {
    take(none(reason));
    if (state == SessionState.OPEN || state == SessionState.DRAINING) {
      state = SessionState.RESUMING;
      events.tell(one -> one.lost(session, reason));
    }
  }

  /** The peer takes no more calls. */
  void draining(String reason) {
    drainReason = reason;
    state = SessionState.DRAINING;
    events.tell(one -> one.draining(session, reason));
  }

  /** The peer is gone; there may be another. */
  void peerGone(RpcStatus status, String reason) {
    over(SessionState.IDLE, status, reason);
  }

  /** The session is over for good. */
  void ended(RpcStatus status, String reason) {
    endStatus = status;
    over(SessionState.ENDED, status, reason);
  }

  private void over(SessionState now, RpcStatus status, String reason) {
    boolean wasOpen = state != SessionState.IDLE;
    take(none(reason));
    told = null;
    drainReason = null;
    state = now;
    if (wasOpen) {
      events.tell(one -> one.ended(session, status, reason));
    }
  }
}
