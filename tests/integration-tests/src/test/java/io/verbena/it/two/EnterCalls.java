package io.verbena.it.two;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Calls of {@code enter}, several at a time, and what was told of each. */
final class EnterCalls {
  private static final int AT_A_TIME = 16;

  /** A refused caller tries again after that time, and not at once. */
  static final long PAUSE_MILLIS = 50;

  private final IntFunction<CompletionStage<Integer>> enter;
  private final Semaphore room = new Semaphore(AT_A_TIME);
  private final Map<Integer, Execution> outcomes = new ConcurrentHashMap<>();
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();
  private final AtomicInteger failed = new AtomicInteger();
  private int failedBefore;

  EnterCalls(IntFunction<CompletionStage<Integer>> enter) {
    this.enter = enter;
  }

  /** Calls, when there is room. For one thread. */
  void call(int number) throws InterruptedException {
    acquire(1);
    if (failed.get() != failedBefore) {
      failedBefore = failed.get();
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    enter
        .apply(number)
        .whenComplete(
            (answer, failure) -> {
              outcomes.put(number, outcome(number, answer, failure));
              room.release();
            });
  }

  /** Returns when every call has ended: each does, or this fails. */
  void awaitEnd() throws InterruptedException {
    acquire(AT_A_TIME);
  }

  private void acquire(int permits) throws InterruptedException {
    if (!room.tryAcquire(permits, Traffic.LONGEST.toSeconds() + 30, TimeUnit.SECONDS)) {
      throw new AssertionError("calls have no end");
    }
  }

  private Execution outcome(int number, Integer answer, Throwable failure) {
    if (failure == null) {
      if (answer != number + 1) {
        problems.add("call " + number + " got the answer " + answer);
      }
      return Execution.EXECUTED;
    }
    failed.incrementAndGet();
    if (failure instanceof RpcException known) {
      return known.execution();
    }
    problems.add("call " + number + ": " + failure);
    return Execution.UNKNOWN;
  }

  /** Returns what was told of each call that has ended, by its number. */
  Map<Integer, Execution> outcomes() {
    return outcomes;
  }

  int failed() {
    return failed.get();
  }

  /** Returns what must not be, whatever happens. */
  Queue<String> problems() {
    return problems;
  }

  /** The reported execution of each call is true. */
  static void assertTrue(int number, Execution told, int entered) {
    String call = "call " + number + ", " + told;
    switch (told) {
      case EXECUTED -> assertThat(entered).as(call).isOne();
      case NOT_EXECUTED -> assertThat(entered).as(call).isZero();
      case UNKNOWN -> assertThat(entered).as(call).isBetween(0, 1);
    }
  }
}
