package io.verbena.api.region;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.api.settings.Checks;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;

/**
 * A struct in a region, by its layout. Immutable; safe for any thread.
 *
 * <p><b>Version words.</b> A struct is longer than a {@code long}, so a {@link #get} may be torn.
 * One that has a {@code long} as its version may be read by {@link #getVersioned} and changed by
 * {@link #change}: the version is odd while its owner writes, so a reader sees that what it has
 * read is one state, or reads again.
 */
public final class RegionView {
  private static final VarHandle LONG = JAVA_LONG.varHandle();

  private final Regions regions;
  private final RegionRef ref;
  private final long offset;
  private final MemoryLayout layout;

  private RegionView(Regions regions, RegionRef ref, long offset, MemoryLayout layout) {
    this.regions = Checks.required("regions", regions);
    this.ref = Checks.required("ref", ref);
    this.layout = Checks.required("layout", layout);
    this.offset = Checks.between("offset", offset, 0, ref.length() - layout.byteSize());
  }

  /**
   * Returns a view of what begins at an offset.
   *
   * @throws IllegalArgumentException if the region ends before it
   */
  public static RegionView of(Regions regions, RegionRef ref, long offset, MemoryLayout layout) {
    return new RegionView(regions, ref, offset, layout);
  }

  /**
   * Returns a view of another one of an array of such structs.
   *
   * @param index from this one on
   * @throws IllegalArgumentException if the region ends before it
   */
  public RegionView at(long index) {
    long further = Math.multiplyExact(index, layout.byteSize());
    return new RegionView(regions, ref, Math.addExact(offset, further), layout);
  }

  /** Reads all of it into memory of its own, on the heap. */
  public CompletableFuture<MemorySegment> get() {
    MemorySegment struct = room();
    return regions.get(ref, offset, struct).thenApply(_ -> struct);
  }

  private MemorySegment room() {
    long words = Math.ceilDiv(layout.byteSize(), Long.BYTES); // aligned as any member
    return MemorySegment.ofArray(new long[Math.toIntExact(words)]).asSlice(0, layout.byteSize());
  }

  /**
   * Writes all of it.
   *
   * @throws IllegalArgumentException if the struct is of another length
   */
  public CompletableFuture<Void> put(MemorySegment struct) {
    Checks.that(
        struct.byteSize() == layout.byteSize(),
        "struct",
        layout.byteSize() + " bytes",
        struct.byteSize());
    return regions.put(ref, offset, struct);
  }

  /** Reads a {@code long} of it. */
  public CompletableFuture<Long> getLong(PathElement... path) {
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    return regions.get(ref, place(path), word).thenApply(_ -> word.get(JAVA_LONG, 0));
  }

  /** Writes a {@code long} of it. */
  public CompletableFuture<Void> putLong(long value, PathElement... path) {
    return regions.put(ref, place(path), MemorySegment.ofArray(new long[] {value}));
  }

  /** Sets a {@code long} of it if it is as expected; returns whether it was. */
  public CompletableFuture<Boolean> compareAndSet(long expected, long value, PathElement... path) {
    return regions.compareAndSet(ref, place(path), expected, value);
  }

  /** Adds to a {@code long} of it; returns what it was before. */
  public CompletableFuture<Long> getAndAdd(long delta, PathElement... path) {
    return regions.getAndAdd(ref, place(path), delta);
  }

  private long place(PathElement... path) {
    return offset + member(layout, path);
  }

  private static long member(MemoryLayout layout, PathElement... path) {
    MemoryLayout member = layout.select(path);
    Checks.that(
        member.byteSize() == Long.BYTES && member.byteAlignment() == Long.BYTES,
        "path",
        "that of an aligned long",
        member);
    return layout.byteOffset(path);
  }

  /**
   * Reads all of it as it was at one time, by a version of it that is changed by {@link #change}:
   * by one request, and {@linkplain Regions#getVersioned again} while somebody writes.
   *
   * @param version the path of an aligned {@code long}
   */
  public CompletableFuture<MemorySegment> getVersioned(PathElement... version) {
    MemorySegment struct = room();
    return regions.getVersioned(ref, place(version), offset, struct).thenApply(_ -> struct);
  }

  /**
   * Changes a struct of one's own that others read by {@link #getVersioned}. One thread at a time.
   *
   * @param struct at its beginning
   * @param change writes it, but not its version
   * @param version the path of an aligned {@code long}
   */
  public static void change(
      MemorySegment struct, MemoryLayout layout, Runnable change, PathElement... version) {
    long at = member(layout, version);
    long before = (long) LONG.getVolatile(struct, at);
    LONG.setVolatile(struct, at, before + 1);
    VarHandle.fullFence(); // the version is odd before anything else changes
    try {
      change.run();
    } finally {
      LONG.setVolatile(struct, at, before + 2);
    }
  }
}
