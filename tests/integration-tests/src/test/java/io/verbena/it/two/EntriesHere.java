package io.verbena.it.two;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Execution;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The entries that machine b makes on machine a. */
final class EntriesHere implements CalledBack {
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, Integer> entered = new ConcurrentHashMap<>();

  @Override
  public int enter(int number) {
    entered.merge(number, 1, Integer::sum);
    return number + 1;
  }

  /** Returns the first of so many numbers that nobody has used. */
  int unused(int count) {
    return numbers.getAndAdd(count);
  }

  /** What b was told of these calls is so, and none was executed twice, told of or not. */
  void assertTrue(Map<Integer, Execution> told) {
    told.forEach(
        (number, execution) ->
            EnterCalls.assertTrue(number, execution, entered.getOrDefault(number, 0)));
    assertThat(entered.values()).containsOnly(1);
  }
}
