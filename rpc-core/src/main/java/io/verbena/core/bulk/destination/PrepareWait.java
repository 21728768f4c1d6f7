package io.verbena.core.bulk.destination;

import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.work.LimitedWait;
import io.verbena.core.bulk.work.RunOn;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.link.memory.Shortage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has a destination prepared for an object, and prepared again when whoever has the file, or the
 * memory, has given way. On the loop.
 */
final class PrepareWait {
  private final BulkHost host;
  private final LimitedWait wait;
  private RunOn.Work work = () -> {};
  private Consumer<@Nullable Throwable> then = failure -> {};
  private @Nullable Throwable latest;
  private boolean preparing;
  private boolean givenUp;

  PrepareWait(BulkHost host) {
    this.host = host;
    this.wait = new LimitedWait(host.loop(), this::again);
  }

  /**
   * Prepares it, once.
   *
   * @param then hears what went wrong at last, or null
   */
  void prepare(RunOn.Work work, Consumer<@Nullable Throwable> then) {
    this.work = work;
    this.then = then;
    again();
  }

  private void again() {
    if (!preparing) {
      preparing = true;
      wait.tries();
      RunOn.FILES.run(host, work, this::prepared);
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
      host.loop().execute(() -> end(latest));
    }
  }

  private void end(@Nullable Throwable failure) {
    wait.ends();
    then.accept(failure);
  }
}
