package io.verbena.channel.zookeeper;

import io.verbena.channel.ChannelTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A channel's time in which what is to be done later is done when the test says so. */
final class HeldTime implements ChannelTime {
  private final List<Runnable> later = new CopyOnWriteArrayList<>();

  @Override
  public long nanoTime() {
    return SYSTEM.nanoTime();
  }

  @Override
  public Runnable after(long nanos, Runnable action) {
    later.add(action);
    return () -> later.remove(action);
  }

  boolean holdsNothing() {
    return later.isEmpty();
  }

  /** Lets all of it be late. */
  void pass() {
    List<Runnable> due = List.copyOf(later);
    later.removeAll(due);
    due.forEach(Runnable::run);
  }
}
