package io.verbena.rdma.link;

import io.verbena.rdma.wire.Immediate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The targets that are open on one link, by the slot and epoch that their peer calls them by. */
final class TargetTable {
  /** More than transfers share a link. */
  static final int MOST_OPEN = Immediate.MOST_SLOTS;

  private final List<@Nullable OwnTarget> slots = new ArrayList<>();
  private final List<Integer> epochs = new ArrayList<>();
  private final List<Integer> free = new ArrayList<>();

  /** Returns a name for the next target; -1 when there are too many. */
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
    return Immediate.target(slot, epochs.get(slot));
  }

  /** Returns how many more there may be. */
  long free() {
    return (long) MOST_OPEN - slots.size() + free.size();
  }

  /** A name was not used after all. */
  void unclaim(int target) {
    free.add(Immediate.slot(target));
  }

  void put(OwnTarget target) {
    slots.set(Immediate.slot(target.target()), target);
  }

  /** Returns the target of that name; null if it is foreign or stale. */
  @Nullable OwnTarget find(int target) {
    int slot = Immediate.slot(target);
    OwnTarget found = slot < slots.size() ? slots.get(slot) : null;
    return found != null && found.target() == target ? found : null;
  }

  void remove(OwnTarget target) {
    int slot = Immediate.slot(target.target());
    slots.set(slot, null);
    free.add(slot);
  }

  List<OwnTarget> all() {
    List<OwnTarget> open = new ArrayList<>();
    for (OwnTarget target : slots) {
      if (target != null) {
        open.add(target);
      }
    }
    return open;
  }
}
