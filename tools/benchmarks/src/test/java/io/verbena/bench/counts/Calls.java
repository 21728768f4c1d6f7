package io.verbena.bench.counts;

import static java.util.stream.Collectors.joining;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/** System calls by name. For one thread. */
public final class Calls {
  /** Rarer costs are the JVM's: its memory, its classes. */
  private static final int WORTH_NAMING = 50;

  private final Map<String, Long> byName = new TreeMap<>();

  void add(String name) {
    byName.merge(name, 1L, Long::sum);
  }

  void add(Calls others) {
    others.byName.forEach((name, count) -> byName.merge(name, count, Long::sum));
  }

  long total() {
    return byName.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the frequent ones in words, as one of some operations has them. */
  String words(int operations) {
    return byName.entrySet().stream()
        .filter(call -> call.getValue() * WORTH_NAMING >= total())
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .map(call -> call.getKey() + " " + CountsTable.number(call.getValue(), operations))
        .collect(joining(", "));
  }
}
