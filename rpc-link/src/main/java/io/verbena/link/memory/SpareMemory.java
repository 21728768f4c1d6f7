package io.verbena.link.memory;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap that closed clients and servers have left to the next ones of this
 * process. The garbage collector frees what nobody has taken until it runs. It alone would not do:
 * nothing tells it to run while the heap has room, and {@code -XX:+DisableExplicitGC} keeps the JDK
 * from running it when direct memory gets scarce. Safe for use by any thread.
 *
 * @param <T> the kind of memory
 */
public final class SpareMemory<T> {
  private final IntFunction<T> allocate;
  private final Map<Integer, ArrayDeque<WeakReference<T>>> left = new HashMap<>();

  /**
   * Makes an empty store.
   *
   * @param allocate allocates so many bytes, which the collector frees
   */
  public SpareMemory(IntFunction<T> allocate) {
    this.allocate = allocate;
  }

  /**
   * Returns memory of this length, with any content.
   *
   * @throws OutOfMemoryError if none is left, and the process may allocate none
   */
  public T take(int bytes) {
    T spare = spare(bytes);
    return spare == null ? allocate.apply(bytes) : spare;
  }

  private synchronized @Nullable T spare(int bytes) {
    ArrayDeque<WeakReference<T>> fitting = left.get(bytes);
    T found = null;
    while (found == null && fitting != null && !fitting.isEmpty()) {
      found = fitting.removeLast().get(); // the last one is the likeliest to be there still
    }
    return found;
  }

  /** Leaves memory to the next taker. The caller uses it no more, nor does anybody else. */
  public synchronized void leave(int bytes, T memory) {
    ArrayDeque<WeakReference<T>> fitting = left.computeIfAbsent(bytes, any -> new ArrayDeque<>());
    while (!fitting.isEmpty() && fitting.getFirst().get() == null) {
      fitting.removeFirst(); // the collector has freed it
    }
    fitting.add(new WeakReference<>(memory));
  }
}
