package io.verbena.link;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

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

  private static final MemorySegment.Scope GLOBAL = Arena.global().scope();

  private final BooleanSupplier staying;

  /** What its owner frees the memory with, where that is not its own scope. */
  private final @Nullable WeakReference<MemorySegment.Scope> owner;

  private MemoryLife(BooleanSupplier staying) {
    this(staying, null);
  }

  private MemoryLife(BooleanSupplier staying, @Nullable WeakReference<MemorySegment.Scope> owner) {
    this.staying = staying;
    this.owner = owner;
  }

  /**
   * Returns this life, of memory that its owner frees with a scope. Of the global scope nobody is
   * told when it is freed, as memory of another library may be: it is used this once.
   */
  public MemoryLife of(MemorySegment memory, MemorySegment.Scope freedWith) {
    if (freedWith.equals(GLOBAL)) {
      return ONCE;
    }
    return freedWith.equals(memory.scope())
        ? this
        : new MemoryLife(staying, new WeakReference<>(freedWith));
  }

  /** Returns this life, of memory that is freed with its own scope. */
  public MemoryLife of(MemorySegment memory) {
    return of(memory, memory.scope());
  }

  /** Returns what tells that memory has been freed; null if its owner's scope is gone. */
  public MemorySegment.@Nullable Scope scopeOf(MemorySegment memory) {
    return owner == null ? memory.scope() : owner.get();
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
