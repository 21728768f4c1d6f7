package io.verbena.rdma.device;

import io.verbena.rdma.wire.WorkId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/** Which link a completion is for, by the index and generation in its {@link WorkId}. */
final class LinkTable {
  private final List<@Nullable CompletionSink> sinks = new ArrayList<>();
  private final List<Integer> generations = new ArrayList<>();
  private final List<Integer> free = new ArrayList<>();

  /** By the number of their queue pair. */
  private final Int2ObjectHashMap<CompletionSink> byQueuePair = new Int2ObjectHashMap<>();

  /** Takes a place, and returns the upper half of the WorkIds of its link. */
  long add(CompletionSink sink) throws IOException {
    if (free.isEmpty()) {
      if (sinks.size() == WorkId.MOST_LINKS) {
        throw new IOException("there are " + WorkId.MOST_LINKS + " links on one loop already");
      }
      free.add(sinks.size());
      sinks.add(null);
      generations.add(0);
    }
    int index = free.removeLast();
    sinks.set(index, sink);
    generations.set(index, generations.get(index) + 1);
    return WorkId.link(generations.get(index), index);
  }

  void remove(long link) {
    int index = WorkId.index(link);
    sinks.set(index, null);
    free.add(index);
  }

  /** A link has this queue pair from now on. */
  void name(int queuePair, CompletionSink sink) {
    byQueuePair.put(queuePair, sink);
  }

  void unname(int queuePair) {
    byQueuePair.remove(queuePair);
  }

  /** Returns whose queue pair it is; null for one that is gone. */
  @Nullable CompletionSink ofQueuePair(int queuePair) {
    return byQueuePair.get(queuePair);
  }

  /** Returns all whose place is taken now. */
  List<CompletionSink> all() {
    return sinks.stream().filter(Objects::nonNull).toList();
  }

  /** Returns whose completion it is; null for one that comes after its link. */
  @Nullable CompletionSink find(long workId) {
    int index = WorkId.index(workId);
    if (index >= sinks.size()) {
      return null;
    }
    boolean current = WorkId.link(generations.get(index), index) == WorkId.link(workId);
    return current ? sinks.get(index) : null;
  }
}
