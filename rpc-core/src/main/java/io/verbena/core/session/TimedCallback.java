package io.verbena.core.session;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.Thrown;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call of user code that supplies or checks credentials. It does not run on the loop, and it has
 * a time limit. No answer, null, an exception and a late answer all count as a refusal. On the
 * loop, except the user's code.
 */
final class TimedCallback<T> {
  private final EventLoop loop;
  private final Consumer<T> answered;
  private final Consumer<Silence> unanswered;
  private final Object lock = new Object();
  private @Nullable Thread runner;
  private long timer = Timers.NONE;
  private boolean over;

  /**
   * The reason why there is no answer.
   *
   * @param words such as "threw …", "returned null" or "did not answer within …"
   * @param thrown the exception; null if there was none
   */
  record Silence(String words, @Nullable Throwable thrown) {
    private static final String NULL = "returned null";

    boolean isNull() {
      return words.equals(NULL);
    }
  }

  private TimedCallback(EventLoop loop, Consumer<T> answered, Consumer<Silence> unanswered) {
    this.loop = loop;
    this.answered = answered;
    this.unanswered = unanswered;
  }

  /** Starts the call. One of the two callbacks runs later, unless the call is withdrawn first. */
  static <T> TimedCallback<T> ask(
      EventLoop loop,
      Executor elsewhere,
      Duration limit,
      Callable<@Nullable T> user,
      Consumer<T> answered,
      Consumer<Silence> unanswered) {
    TimedCallback<T> question = new TimedCallback<>(loop, answered, unanswered);
    question.timer =
        loop.timers()
            .schedule(
                loop.now() + NanoClock.nanos(limit),
                now ->
                    question.end(
                        null,
                        new Silence("did not answer within " + limit.toMillis() + " ms", null)));
    OwnThreads.hand(elsewhere, () -> question.put(user), question::unasked);
    return question;
  }

  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  private void put(Callable<@Nullable T> user) {
    synchronized (lock) {
      runner = Thread.currentThread();
    }
    T answer = null;
    Silence silence;
    try {
      answer = user.call();
      silence = new Silence(Silence.NULL, null);
    } catch (Throwable e) {
      silence = new Silence("threw " + Thrown.fullWords(e), e);
    }
    synchronized (lock) {
      runner = null;
    }
    T heard = answer;
    Silence otherwise = silence;
    loop.execute(() -> end(heard, otherwise));
  }

  private void unasked(Throwable why) {
    Silence silence = new Silence("could not be called: " + Thrown.fullWords(why), why);
    loop.execute(() -> end(null, silence)); // later: the caller lacks this object yet
  }

  private void end(@Nullable T answer, Silence otherwise) {
    if (over) {
      return;
    }
    withdraw();
    if (answer == null) {
      unanswered.accept(otherwise);
    } else {
      answered.accept(answer);
    }
  }

  /** Withdraws the call, and interrupts the user's code if it still runs. */
  void withdraw() {
    over = true;
    loop.timers().cancel(timer);
    timer = Timers.NONE;
    synchronized (lock) {
      if (runner != null) {
        runner.interrupt();
      }
    }
  }
}
