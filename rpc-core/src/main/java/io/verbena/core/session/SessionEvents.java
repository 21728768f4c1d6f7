package io.verbena.core.session;

import io.verbena.api.SessionListener;
import io.verbena.core.log.ThrottledLog;
import io.verbena.core.loop.OwnThreads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Tells the listeners of one session what becomes of it: one event after the other, elsewhere than
 * on the loop. Who listens, and what there is to tell, the loop says.
 */
final class SessionEvents {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(SessionEvents.class, "session listeners that threw");

  private final SessionContext context;
  private final Executor elsewhere;
  private List<SessionListener> listeners;

  /** What has yet to be told; its monitor guards itself and {@link #telling}. */
  private final ArrayDeque<Runnable> due = new ArrayDeque<>();

  private boolean telling;

  SessionEvents(SessionContext context) {
    this.context = context;
    this.elsewhere = context.audience().elsewhere();
    this.listeners = context.audience().listeners();
  }

  void add(SessionListener listener) {
    List<SessionListener> more = new ArrayList<>(listeners);
    more.add(listener);
    listeners = List.copyOf(more);
  }

  /** Has all who listen now told of an event. */
  void tell(Consumer<SessionListener> event) {
    for (SessionListener listener : listeners) {
      tell(listener, event);
    }
  }

  /** Has one of them told of an event. */
  void tell(SessionListener listener, Consumer<SessionListener> event) {
    synchronized (due) {
      due.add(() -> event.accept(listener));
      if (telling) {
        return;
      }
      telling = true;
    }
    OwnThreads.surely(context.loop(), elsewhere, context.workers().waiting(), this::tellAll);
  }

  private void tellAll() {
    while (true) {
      Runnable next;
      synchronized (due) {
        next = due.poll();
        if (next == null) {
          telling = false;
          return;
        }
      }
      try {
        next.run();
      } catch (Throwable e) {
        // The user's code: the session, and who else listens, have nothing to do with it.
        FAILED.warn("{} threw; it is told of the next event all the same", "A session listener", e);
      }
    }
  }
}
