package io.verbena.core.session;

import io.verbena.api.SessionListener;
import io.verbena.core.loop.SequentialExecutor;
import io.verbena.link.runtime.ThrottledLog;
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

  private final SequentialExecutor telling;
  private List<SessionListener> listeners;

  SessionEvents(SessionContext context) {
    Executor elsewhere = context.audience().elsewhere();
    Executor otherwise = context.workers().waiting();
    this.telling =
        new SequentialExecutor(
            all -> context.loop().runSurely(elsewhere, otherwise, all), SessionEvents::threw);
    this.listeners = context.audience().listeners();
  }

  /** The user's code: the session, and who else listens, have nothing to do with it. */
  private static void threw(Throwable thrown) {
    FAILED.warn(
        "{} threw; it is told of the next event all the same", "A session listener", thrown);
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
    telling.execute(() -> event.accept(listener));
  }
}
