package io.verbena.api.region;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.api.settings.Checks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;

/**
 * A view of a struct in a region, by its layout. Immutable and safe for use by any thread. Its
 * requests fail as those of {@link Regions} do.
 *
 * <p><b>Members.</b> A member has the byte order of its layout. Each path must lead to a {@link
 * ValueLayout.OfLong} with an alignment of at least 8, or the method throws an {@link
 * IllegalArgumentException}. It also does so for a member in another byte order than this machine's
 * where the order cannot be honoured: as a version, and in {@link #getAndAdd}.
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
    Checks.that(
        offset % layout.byteAlignment() == 0,
        "offset",
        "a multiple of the layout's alignment, " + layout.byteAlignment(),
        offset);
  }

  /**
   * Returns a view of the struct at an offset.
   *
   * @param offset in bytes, a multiple of the layout's alignment
   * @throws IllegalArgumentException if the region is too short, or the offset is not aligned
   */
  public static RegionView of(Regions regions, RegionRef ref, long offset, MemoryLayout layout) {
    return new RegionView(regions, ref, offset, layout);
  }

  /**
   * Returns a view of another struct in an array of such structs.
   *
   * @param index counted from this struct
   * @throws IllegalArgumentException if the region is too short, or the layout's size is not a
   *     multiple of its alignment, so that this struct would not be aligned: add padding
   */
  public RegionView at(long index) {
    long further = Math.multiplyExact(index, layout.byteSize());
    return new RegionView(regions, ref, Math.addExact(offset, further), layout);
  }

  /**
   * Reads the whole struct into new memory, which is aligned for its layout. It is on the heap,
   * unless the alignment exceeds 8.
   */
  public CompletableFuture<MemorySegment> get() {
    MemorySegment struct = room();
    return regions.get(ref, offset, struct).thenApply(_ -> struct);
  }

  private MemorySegment room() {
    if (layout.byteAlignment() > Long.BYTES) {
      return Arena.ofAuto().allocate(layout);
    }
    long words = Math.ceilDiv(layout.byteSize(), Long.BYTES);
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
    ValueLayout.OfLong member = member(layout, path);
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    return regions.get(ref, place(path), word).thenApply(_ -> word.get(member, 0));
  }

  /** Writes an aligned {@code long} of the struct. */
  public CompletableFuture<Void> putLong(long value, PathElement... path) {
    long word = inOrder(value, member(layout, path));
    return regions.put(ref, place(path), MemorySegment.ofArray(new long[] {word}));
  }

  /**
   * Sets an aligned {@code long} of the struct if it has the expected value. The result is true if
   * it was set.
   */
  public CompletableFuture<Boolean> compareAndSet(long expected, long value, PathElement... path) {
    ValueLayout.OfLong member = member(layout, path);
    return regions.compareAndSet(
        ref, place(path), inOrder(expected, member), inOrder(value, member));
  }

  /**
   * Adds to an aligned {@code long} of the struct. The result is the value before.
   *
   * @throws IllegalArgumentException also if the {@code long} is in another byte order than this
   *     machine's, because sums carry from byte to byte: use {@link #compareAndSet}
   */
  public CompletableFuture<Long> getAndAdd(long delta, PathElement... path) {
    nativeMember(layout, path);
    return regions.getAndAdd(ref, place(path), delta);
  }

  private long place(PathElement... path) {
    return offset + layout.byteOffset(path);
  }

  /** Returns the layout of an aligned long, whose alignment a heap array has, too. */
  private static ValueLayout.OfLong member(MemoryLayout layout, PathElement... path) {
    MemoryLayout member = select(layout, path);
    if (member instanceof ValueLayout.OfLong word && word.byteAlignment() >= Long.BYTES) {
      return word.withByteAlignment(Long.BYTES);
    }
    throw new IllegalArgumentException(
        "path must be that of a long with an alignment of 8, such as JAVA_LONG, but is that of "
            + member);
  }

  /** Selects a member. The JDK's method of this name accepts no index of a sequence. */
  private static MemoryLayout select(MemoryLayout layout, PathElement... path) {
    long _ = layout.byteOffset(path); // throws unless each element of a sequence has an index
    MemoryLayout at = layout;
    for (PathElement next : path) {
      at = at instanceof SequenceLayout sequence ? sequence.elementLayout() : at.select(next);
    }
    return at;
  }

  private static ValueLayout.OfLong nativeMember(MemoryLayout layout, PathElement... path) {
    ValueLayout.OfLong member = member(layout, path);
    Checks.that(
        isNative(member), "path", "that of a long in the byte order of this machine", member);
    return member;
  }

  private static boolean isNative(ValueLayout member) {
    return member.order() == ByteOrder.nativeOrder();
  }

  /** Returns the word whose bytes are those of a value in the order of its layout. */
  private static long inOrder(long value, ValueLayout.OfLong member) {
    return isNative(member) ? value : Long.reverseBytes(value);
  }

  /**
   * Reads a single state of the whole struct, whose version is changed by {@link #change}. One
   * request suffices, unless the owner is writing; then the struct is {@linkplain
   * Regions#getVersioned read again}.
   *
   * @param version the path of an aligned {@code long} in the byte order of this machine
   */
  public CompletableFuture<MemorySegment> getVersioned(PathElement... version) {
    nativeMember(layout, version);
    MemorySegment struct = room();
    return regions.getVersioned(ref, place(version), offset, struct).thenApply(_ -> struct);
  }

  /**
   * Changes a struct in local memory that peers read by {@link #getVersioned}. Only one thread at a
   * time may change a struct.
   *
   * @param struct the memory of the struct
   * @param change writes the struct, except its version
   * @param version the path of an aligned {@code long} in the byte order of this machine
   * @throws IllegalArgumentException if the version is not such a {@code long}, or not aligned in
   *     this memory
   */
  public static void change(
      MemorySegment struct, MemoryLayout layout, Runnable change, PathElement... version) {
    nativeMember(layout, version);
    long at = layout.byteOffset(version);
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
