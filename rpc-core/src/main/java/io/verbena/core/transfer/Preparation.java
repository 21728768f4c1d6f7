package io.verbena.core.transfer;

import io.verbena.core.bulk.LimitedWait;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Shortage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has a destination prepared for an object elsewhere than on the loop, and prepared again when
 * whoever has the file, or the memory, has given way. On the loop.
 */
final class Preparation {
  private final SessionImpl session;
  private final RunOn.Work work;
  private final Consumer<@Nullable Throwable> then;
  private final LimitedWait wait;
  private @Nullable Throwable latest;
  private boolean preparing;
  private boolean givenUp;

  /**
   * Not begun yet: {@link #attempt}, once.
   *
   * @param then hears what went wrong at last, or null
   */
  Preparation(SessionImpl session, RunOn.Work work, Consumer<@Nullable Throwable> then) {
    this.session = session;
    this.work = work;
    this.then = then;
    this.wait = new LimitedWait(session.loop(), this::attempt);
  }

  void attempt() {
    if (!preparing) {
      preparing = true;
      wait.tries();
      RunOn.FILES.run(session, work, this::prepared);
    }
  }

  private void prepared(@Nullable Throwable failure) {
    preparing = false;
    Shortage shortage = TransferProblem.shortageOf(failure);
    if (shortage == null || givenUp || !wait.goesOn(shortage)) {
      end(failure);
    } else {
      latest = failure;
    }
  }

  /** It is not wanted any more; who waits to hear of it does so by and by. */
  void giveUp() {
    givenUp = true;
    if (wait.isUnderWay() && !preparing) {
      wait.ends();
      session.loop().execute(() -> end(latest));
    }
  }

  private void end(@Nullable Throwable failure) {
    wait.ends();
    then.accept(failure);
  }
}
