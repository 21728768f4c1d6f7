package io.verbena.core.call;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Calls by their number. Numbers are consecutive and calls end about as they began, so that a ring
 * finds all but those that take far longer than others; a hash map would look through runs of
 * neighbours for each that is removed.
 */
final class CallTable {
  private static final int FIRST_PLACES = 16;
  private static final int MOST_PLACES = 1024;

  /** Grows with the calls that are under way at a time: most of a server's sessions have none. */
  private @Nullable PendingCall<?>[] recent = new PendingCall<?>[FIRST_PLACES];

  /** Calls whose place in the ring a later one needed. */
  private final Long2ObjectHashMap<PendingCall<?>> old = new Long2ObjectHashMap<>();

  private int size;

  int size() {
    return size;
  }

  /** Adds a call whose number is higher than all before. */
  void add(long id, PendingCall<?> call) {
    while (recent[place(id)] != null && recent.length < MOST_PLACES) {
      grow();
    }
    int place = place(id);
    PendingCall<?> before = recent[place];
    if (before != null) {
      old.put(before.id(), before);
    }
    recent[place] = call;
    size++;
  }

  private void grow() {
    @Nullable PendingCall<?>[] before = recent;
    recent = new PendingCall<?>[2 * before.length];
    for (PendingCall<?> call : before) {
      if (call != null) {
        recent[place(call.id())] = call;
      }
    }
  }

  /** Returns the call of this number; null if it has ended, or never was. */
  @Nullable PendingCall<?> get(long id) {
    PendingCall<?> call = recent[place(id)];
    return call != null && call.id() == id ? call : old.get(id);
  }

  /** Removes a call, if it is here. */
  void remove(PendingCall<?> call) {
    int place = place(call.id());
    if (recent[place] == call) {
      recent[place] = null;
      size--;
    } else if (old.remove(call.id()) != null) {
      size--;
    }
  }

  /** Returns the calls that are here now. */
  List<PendingCall<?>> all() {
    List<PendingCall<?>> all = new ArrayList<>(old.values());
    for (PendingCall<?> call : recent) {
      if (call != null) {
        all.add(call);
      }
    }
    return all;
  }

  private int place(long id) {
    return (int) (id & (recent.length - 1));
  }
}
