package io.verbena.core.stream;

import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Quota;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The items of one stream that have arrived and are not used up, and the memory for which they
 * count. The bytes of a message count until its last item is used. A few KiB of each stream do not
 * count, so streams of small items cost nothing. Use under the stream's lock.
 */
final class HeldItems<T> {
  private static final long UNCOUNTED = 8 << 10;

  private final Quota.Share memory;
  private final ArrayDeque<T> waiting = new ArrayDeque<>();
  private final ArrayDeque<Group> groups = new ArrayDeque<>();
  private long held;

  private static final class Group {
    final long bytes;
    int unused;

    Group(SessionStreams.Batch<?> batch) {
      this.bytes = batch.bytes();
      this.unused = batch.items().size();
    }
  }

  HeldItems(Quota.Share memory) {
    this.memory = memory;
  }

  private static long counted(long bytes) {
    return Math.max(0, bytes - UNCOUNTED);
  }

  /** Adds items. Returns the reason why there is no memory for them, or null. */
  @Nullable String add(SessionStreams.Batch<T> batch) {
    long bytes = batch.bytes();
    long more = counted(held + bytes) - counted(held);
    if (more > 0 && !memory.take(more)) {
      return memory.refusal(bytes, Memory.ASSEMBLY.setting());
    }
    held += bytes;
    waiting.addAll(batch.items());
    groups.add(new Group(batch));
    return null;
  }

  int waiting() {
    return waiting.size();
  }

  /** Returns the number of messages with items that are not used up. */
  int batches() {
    return groups.size();
  }

  /** Returns whether to request additional items. Used items are always replaced. */
  boolean mayGrow() {
    return groups.isEmpty() || held <= UNCOUNTED || !memory.isBeyondGuaranteed();
  }

  /** Returns the next item, which counts until it is used. Null if there is none. */
  @Nullable T poll() {
    return waiting.poll();
  }

  /** Notes that further items were used, in order. Returns whether some no longer count. */
  boolean used(int number) {
    int before = groups.size();
    int left = number;
    while (left > 0 && !groups.isEmpty()) {
      Group first = groups.element();
      int now = Math.min(left, first.unused);
      first.unused -= now;
      left -= now;
      if (first.unused == 0) {
        removeFirst();
      }
    }
    return groups.size() < before;
  }

  void clear() {
    waiting.clear();
    while (!groups.isEmpty()) {
      removeFirst();
    }
  }

  private void removeFirst() {
    long before = counted(held);
    held -= groups.remove().bytes;
    long less = before - counted(held);
    if (less > 0) {
      memory.give(less);
    }
  }
}
