package io.verbena.link;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The expected life of memory that a link uses: whether it may stay pinned while it is not in use.
 * It never stays pinned after its scope has ended, which links check from time to time. Immutable
 * and safe for use by any thread.
 */
public final class MemoryLife {
  /** Memory of a pool, which reuses it. It may stay pinned. */
  public static final MemoryLife HELD = new MemoryLife(() -> true);

  /** Memory of the user, who may use it again. It may stay pinned. */
  public static final MemoryLife LENT = new MemoryLife(() -> true);

  /** Memory that is used once. It is unpinned as soon as it is released. */
  public static final MemoryLife ONCE = new MemoryLife(() -> false);

  private static final MemorySegment.Scope GLOBAL = Arena.global().scope();

  private final BooleanSupplier staying;

  /** The scope with which the owner frees the memory, if that is not its own scope. */
  private final @Nullable WeakReference<MemorySegment.Scope> owner;

  private MemoryLife(BooleanSupplier staying) {
    this(staying, null);
  }

  private MemoryLife(BooleanSupplier staying, @Nullable WeakReference<MemorySegment.Scope> owner) {
    this.staying = staying;
    this.owner = owner;
  }

  /**
   * Returns this life for memory that its owner frees with a scope. Memory of the global scope is
   * unpinned after one use, because nothing announces when it is freed.
   */
  public MemoryLife of(MemorySegment memory, MemorySegment.Scope freedWith) {
    if (freedWith.equals(GLOBAL)) {
      return ONCE;
    }
    return freedWith.equals(memory.scope())
        ? this
        : new MemoryLife(staying, new WeakReference<>(freedWith));
  }

  /** Returns this life for memory that is freed with its own scope. */
  public MemoryLife of(MemorySegment memory) {
    return of(memory, memory.scope());
  }

  /** Returns the scope that ends when the memory is freed; null if the owner's scope is gone. */
  public MemorySegment.@Nullable Scope scopeOf(MemorySegment memory) {
    return owner == null ? memory.scope() : owner.get();
  }

  /**
   * Returns the life of memory that the user may use again while a condition holds. It may stay
   * pinned until the condition ends, or shortly after.
   *
   * @param so the condition. The loop of any link checks it from time to time. It must not keep the
   *     memory from being freed
   */
  public static MemoryLife lentWhile(BooleanSupplier so) {
    return new MemoryLife(so);
  }

  /** Returns whether the memory may stay pinned now, although nothing uses it. */
  public boolean mayStay() {
    return staying.getAsBoolean();
  }
}
