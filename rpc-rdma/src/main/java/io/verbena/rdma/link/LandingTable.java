package io.verbena.rdma.link;

import io.verbena.rdma.wire.Immediate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The landings that are open on one link, by the slot and epoch that their peer calls them by. */
final class LandingTable {
  /** More than transfers share a link. */
  static final int MOST_OPEN = Immediate.MOST_SLOTS;

  private final List<@Nullable Landing> slots = new ArrayList<>();
  private final List<Integer> epochs = new ArrayList<>();
  private final List<Integer> free = new ArrayList<>();

  /** Returns a name for the next landing; -1 when there are too many. */
  int claim() {
    if (free.isEmpty()) {
      if (slots.size() == MOST_OPEN) {
        return -1;
      }
      free.add(slots.size());
      slots.add(null);
      epochs.add(0);
    }
    int slot = free.removeLast();
    epochs.set(slot, epochs.get(slot) + 1);
    return Immediate.landing(slot, epochs.get(slot));
  }

  /** Returns how many more there may be. */
  long free() {
    return (long) MOST_OPEN - slots.size() + free.size();
  }

  /** A name was not used after all. */
  void unclaim(int landing) {
    free.add(Immediate.slot(landing));
  }

  void put(Landing landing) {
    slots.set(Immediate.slot(landing.landing()), landing);
  }

  /** Returns the landing of that name; null if it is foreign or stale. */
  @Nullable Landing find(int landing) {
    int slot = Immediate.slot(landing);
    Landing found = slot < slots.size() ? slots.get(slot) : null;
    return found != null && found.landing() == landing ? found : null;
  }

  void remove(Landing landing) {
    int slot = Immediate.slot(landing.landing());
    slots.set(slot, null);
    free.add(slot);
  }

  List<Landing> all() {
    List<Landing> open = new ArrayList<>();
    for (Landing landing : slots) {
      if (landing != null) {
        open.add(landing);
      }
    }
    return open;
  }
}
