package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionPath;
import io.verbena.api.SessionState;
import io.verbena.core.loop.SequentialExecutor;
import io.verbena.link.runtime.ThrottledLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of a session, its path, and the listeners for both. Only the loop changes it; any
 * thread may read it.
 */
final class SessionLife {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLife.class);
  private static final ThrottledLog FAILED =
      ThrottledLog.of(SessionLife.class, "session listeners that threw");

  private final Session session;

  /** Runs listeners, one event after the other, not on the loop. */
  private final SequentialExecutor telling;

  private List<SessionListener> listeners;

  /** The path that listeners received last. */
  private @Nullable SessionPath told;

  private long pathChanges;
  private @Nullable String drainReason;
  private RpcStatus endStatus = RpcStatus.CANCELLED;
  private volatile SessionState state = SessionState.IDLE;
  private volatile SessionPath path = none("not connected yet");

  SessionLife(Session session, SessionContext context) {
    this.session = session;
    Executor otherwise = context.workers().waiting();
    this.telling =
        new SequentialExecutor(
            all -> context.loop().runSurely(context.elsewhere(), otherwise, all),
            SessionLife::threw);
    this.listeners = context.listeners();
  }

  /** Logs an exception of a listener. It does not affect the session or other listeners. */
  private static void threw(Throwable thrown) {
    FAILED.warn("{} threw; it still receives the next event", "A session listener", thrown);
  }

  /** Returns the session's name for logs. Safe for use by any thread. */
  String name() {
    return "session with " + session.peer().address();
  }

  /** Returns the session's name for logs, with its path. Safe for use by any thread. */
  @Override
  public String toString() {
    return name() + " over " + path;
  }

  static SessionPath none(String reason) {
    return new SessionPath("none", reason);
  }

  /** Safe for use by any thread. */
  SessionState state() {
    return state;
  }

  /** Safe for use by any thread. */
  SessionPath path() {
    return path;
  }

  long pathChanges() {
    return pathChanges;
  }

  boolean isEnded() {
    return state == SessionState.ENDED;
  }

  /** Returns whether the peer accepts no more calls. */
  boolean isDraining() {
    return drainReason != null;
  }

  void listen(SessionListener listener) {
    List<SessionListener> more = new ArrayList<>(listeners);
    more.add(listener);
    listeners = List.copyOf(more);
    if (state == SessionState.ENDED) {
      tellEnd(listener);
    } else if (state != SessionState.IDLE) {
      tell(listener, one -> one.opened(session));
      if (state == SessionState.RESUMING) {
        String reason = path.reason();
        tell(listener, one -> one.lost(session, reason));
      }
      String drains = drainReason;
      if (drains != null) {
        tell(listener, one -> one.draining(session, drains));
      }
    }
  }

  private void tell(Consumer<SessionListener> event) {
    for (SessionListener listener : listeners) {
      tell(listener, event);
    }
  }

  private void tell(SessionListener listener, Consumer<SessionListener> event) {
    telling.execute(() -> event.accept(listener));
  }

  private void tellEnd(SessionListener listener) {
    RpcStatus status = endStatus;
    String reason = path.reason();
    tell(listener, one -> one.ended(session, status, reason));
  }

  // ---- events, on the loop ----

  /** A link carries calls. */
  void usePath(SessionPath now) {
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
        tell(one -> one.opened(session));
      }
      case RESUMING -> {
        state = isDraining() ? SessionState.DRAINING : SessionState.OPEN;
        LOG.debug("{} resumed, over {}", name(), now);
        tell(one -> one.resumed(session));
        if (changed) {
          tell(one -> one.pathChanged(session, now));
        }
      }
      default -> {
        if (changed) {
          LOG.debug("{} now goes over {} instead of {}", name(), now, before);
          tell(one -> one.pathChanged(session, now));
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

  /** No link carries calls for now. Listeners are not notified. */
  void useNoPath(String reason) {
    take(none(reason));
  }

  /** Every link is gone, and the session will resume. */
  void lost(String reason) {
    take(none(reason));
    if (state == SessionState.OPEN || state == SessionState.DRAINING) {
      state = SessionState.RESUMING;
      tell(one -> one.lost(session, reason));
    }
  }

  /** The peer accepts no more calls. */
  void draining(String reason) {
    drainReason = reason;
    state = SessionState.DRAINING;
    tell(one -> one.draining(session, reason));
  }

  /** The peer is gone. There may be another. */
  void peerGone(RpcStatus status, String reason) {
    over(SessionState.IDLE, status, reason);
  }

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
      tell(one -> one.ended(session, status, reason));
    }
  }
}
