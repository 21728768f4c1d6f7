package io.verbena.bench.verbena;

import io.verbena.bench.load.Messages;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** The implementation of the target. It can be slowed down. */
final class Target implements BenchTarget {
  private final long delayNanos;
  private final LongAdder dropped = new LongAdder();
  private final ConcurrentHashMap<Integer, byte[]> answers = new ConcurrentHashMap<>();

  /**
   * Makes a target.
   *
   * @param delay an additional delay of each call, to test whether a comparison finds it
   */
  Target(Duration delay) {
    delayNanos = delay.toNanos();
  }

  private void delay(boolean onLoop) {
    if (delayNanos == 0) {
      return;
    }
    long until = System.nanoTime() + delayNanos;
    for (long left = delayNanos; left > 0; left = until - System.nanoTime()) {
      if (onLoop) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(left);
      }
    }
  }

  @Override
  public byte[] echo(byte[] message) {
    delay(true);
    return message;
  }

  @Override
  public byte[] echoOnThread(byte[] message) {
    delay(false);
    return message;
  }

  @Override
  public long push(byte[] message) {
    delay(true);
    return Messages.number(message);
  }

  @Override
  public long pushOnThread(byte[] message) {
    delay(false);
    return Messages.number(message);
  }

  @Override
  public byte[] pull(int size, long number) {
    delay(true);
    // All calls on the loop share one answer. Its number changes, and it is encoded at once.
    byte[] answer = answers.computeIfAbsent(size, Messages::of);
    Messages.number(answer, number);
    return answer;
  }

  @Override
  public byte[] pullOnThread(int size, long number) {
    delay(false);
    byte[] answer = answers.computeIfAbsent(size, Messages::of).clone();
    Messages.number(answer, number);
    return answer;
  }

  @Override
  public void drop(byte[] message) {
    delay(true);
    dropped.increment();
  }

  @Override
  public long dropped() {
    return dropped.sum();
  }
}
