package io.verbena.verbs.fabric;

/** An action at a time. It is reused, so that the data path allocates nothing. */
final class Timer implements Comparable<Timer> {
  final Runnable action;
  long due;
  long order;
  boolean pending;

  Timer(Runnable action) {
    this.action = action;
  }

  /** Orders timers by time, and those of the same time in the order of scheduling. */
  @Override
  public int compareTo(Timer other) {
    int byTime = Long.compare(due, other.due);
    return byTime != 0 ? byTime : Long.compare(order, other.order);
  }
}
