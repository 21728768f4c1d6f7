package io.verbena.api.region;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.api.settings.Checks;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;

/**
 * A view of a struct in a region, by its layout. Immutable and safe for use by any thread. Its
 * requests fail as those of {@link Regions} do.
 *
 * <p><b>Version words.</b> A struct longer than a {@code long} may be torn: a {@link #get} may mix
 * two of its states. To avoid that, give the struct a {@code long} as its version, change it by
 * {@link #change} and read it by {@link #getVersioned}. The version is odd while the owner writes.
 * So a reader can see whether it has read a single state, and reads again if not.
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
   * Returns a view of the struct at an offset.
   *
   * @param offset in bytes
   * @throws IllegalArgumentException if the region is too short
   */
  public static RegionView of(Regions regions, RegionRef ref, long offset, MemoryLayout layout) {
    return new RegionView(regions, ref, offset, layout);
  }

  /**
   * Returns a view of another struct in an array of such structs.
   *
   * @param index counted from this struct
   * @throws IllegalArgumentException if the region is too short
   */
  public RegionView at(long index) {
    long further = Math.multiplyExact(index, layout.byteSize());
    return new RegionView(regions, ref, Math.addExact(offset, further), layout);
  }

  /** Reads the whole struct into new memory on the heap. */
  public CompletableFuture<MemorySegment> get() {
    MemorySegment struct = room();
    return regions.get(ref, offset, struct).thenApply(_ -> struct);
  }

  private MemorySegment room() {
    long words = Math.ceilDiv(layout.byteSize(), Long.BYTES); // aligned as any member
    return MemorySegment.ofArray(new long[Math.toIntExact(words)]).asSlice(0, layout.byteSize());
  }

  /**
   * Writes the whole struct. The memory is copied before this returns.
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

  /** Reads an aligned {@code long} of the struct. */
  public CompletableFuture<Long> getLong(PathElement... path) {
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    return regions.get(ref, place(path), word).thenApply(_ -> word.get(JAVA_LONG, 0));
  }

  /** Writes an aligned {@code long} of the struct. */
  public CompletableFuture<Void> putLong(long value, PathElement... path) {
    return regions.put(ref, place(path), MemorySegment.ofArray(new long[] {value}));
  }

  /**
   * Sets an aligned {@code long} of the struct if it has the expected value. The result is true if
   * it was set.
   */
  public CompletableFuture<Boolean> compareAndSet(long expected, long value, PathElement... path) {
    return regions.compareAndSet(ref, place(path), expected, value);
  }

  /** Adds to an aligned {@code long} of the struct. The result is the value before. */
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
   * Reads a single state of the whole struct, whose version is changed by {@link #change}. One
   * request suffices, unless the owner is writing; then the struct is {@linkplain
   * Regions#getVersioned read again}.
   *
   * @param version the path of an aligned {@code long}
   */
  public CompletableFuture<MemorySegment> getVersioned(PathElement... version) {
    MemorySegment struct = room();
    return regions.getVersioned(ref, place(version), offset, struct).thenApply(_ -> struct);
  }

  /**
   * Changes a struct in local memory that peers read by {@link #getVersioned}. Only one thread at a
   * time may change a struct.
   *
   * @param struct the memory of the struct
   * @param change writes the struct, except its version
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
