package io.verbena.core.link;

import java.util.function.BooleanSupplier;

/**
 * What is known of the life of memory that is handed to a link: whether it may stay pinned while it
 * is not in use. Never for longer than its scope lasts, which links find out by and by.
 */
public final class MemoryLife {
  /** A pool's, which hands it out again and again: it may stay pinned. */
  public static final MemoryLife HELD = new MemoryLife(() -> true);

  /** The user's, who may use it again: it may stay pinned. */
  public static final MemoryLife LENT = new MemoryLife(() -> true);

  /** Used this once: it is unpinned as soon as it is released. */
  public static final MemoryLife ONCE = new MemoryLife(() -> false);

  private final BooleanSupplier staying;

  private MemoryLife(BooleanSupplier staying) {
    this.staying = staying;
  }

  /**
   * The user's, who may use it again for as long as something is so: it may stay pinned until then,
   * or until soon after.
   *
   * @param so asked by any link's loop, now and then; must not keep the memory from being freed
   */
  public static MemoryLife lentWhile(BooleanSupplier so) {
    return new MemoryLife(so);
  }

  /** Returns whether it may stay pinned now, although nobody uses it. Safe for any thread. */
  public boolean mayStay() {
    return staying.getAsBoolean();
  }
}
