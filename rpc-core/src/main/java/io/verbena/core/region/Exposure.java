package io.verbena.core.region;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.api.settings.Checks;
import io.verbena.api.wire.WireOut;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.runtime.NanoClock;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One exposed region: its rights, its lease, and its fence. Every access for the peer holds the
 * region's lock, so no access happens after the end.
 *
 * <pre>
 *   OPEN ──close, end of the lease, loss of the peer──→ ended
 *                └── opened by a path: once that is fenced ──↑
 * </pre>
 *
 * <p>If a path's device reads and writes by itself, the region may be opened to the peer's device,
 * on one path at a time.
 */
final class Exposure implements ExposedRegion {
  private static final VarHandle LONG = JAVA_LONG.varHandle();

  /** The interval between checks that the memory still exists, while a device reaches it. */
  private static final long WATCHED_NANOS = 1_000_000_000;

  /**
   * The longest region that is opened to a device, because pinning blocks the loop. Longer ones are
   * reached by calls.
   */
  private static final long MOST_OPENED_BYTES = 1L << 30;

  private final RegionRef ref;
  private final MemorySegment memory;
  private final EventLoop loop;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile boolean open = true;

  /** Made on the loop, under the lock, while the region is open. */
  private @Nullable Opening opening;

  /** When the lease is over. */
  private long due;

  /** The timer of the lease. Only the loop uses it. */
  private long timer = Timers.NONE;

  /** The timer of the next check of the memory. Only the loop uses it. */
  private long watch = Timers.NONE;

  Exposure(RegionRef ref, MemorySegment memory, EventLoop loop) {
    this.ref = ref;
    this.memory = memory;
    this.loop = loop;
  }

  @Override
  public RegionRef ref() {
    return ref;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean renew(Duration lease) {
    long nanos = NanoClock.nanos(Checks.positive("lease", lease));
    synchronized (this) {
      if (!open) {
        return false;
      }
      due = loop.clock().nanoTime() + nanos;
    }
    loop.execute(this::watchLease);
    return true;
  }

  /** Ends the region if its lease is over; otherwise looks again when it will be. On the loop. */
  private void watchLease() {
    loop.timers().cancel(timer);
    synchronized (this) {
      if (!open) {
        return;
      }
      if (due - loop.now() > 0) {
        timer = loop.timers().schedule(due, now -> watchLease());
        return;
      }
      open = false; // under the lock, so that no renewal is lost
    }
    closed();
  }

  @Override
  public void close() {
    synchronized (this) {
      if (!open) {
        return;
      }
      open = false;
    }
    closed();
  }

  private void closed() {
    boolean opened = isOpened();
    loop.execute(
        () -> {
          loop.timers().cancel(timer); // a pending timer would hold the memory
          if (opened) {
            shut();
          }
        });
    if (!opened) {
      ended.complete(null);
    }
  }

  @Override
  public CompletableFuture<Void> ended() {
    return ended.copy();
  }

  @Override
  public String toString() {
    return ref + (open ? ", exposed" : ", no longer exposed");
  }

  // ---- paths of the peer's device, on the loop ----

  /** The region on one path, open to the peer's device. */
  private final class Opening {
    private final BulkPath path;
    private final BulkTarget target;

    /** Callbacks that run when the peer's requests find the region open, or when it closes. */
    private final List<Runnable> untold = new ArrayList<>();

    private boolean ready;
    private boolean shut;

    Opening(BulkPath path, BulkTarget target) {
      this.path = path;
      this.target = target;
      target.whenOpen(this::ready);
    }

    private void ready() {
      ready = true;
      tell();
    }

    private void tell() {
      List<Runnable> all = List.copyOf(untold);
      untold.clear();
      all.forEach(Runnable::run);
    }

    private void whenReady(Runnable then) {
      untold.add(then);
      if (ready) {
        tell();
      }
    }

    private void shut() {
      if (!shut) {
        shut = true;
        target.close(this::fenced, this::lost);
      }
    }

    private void fenced() {
      loop.timers().cancel(watch);
      boolean last;
      synchronized (Exposure.this) {
        opening = null;
        last = !open;
      }
      tell();
      if (last) {
        ended.complete(null);
      }
    }

    private void lost() {
      close();
      tell();
      ended.completeExceptionally(
          new IllegalStateException(
              "a device that could not be stopped may use the memory of " + ref + " for ever"));
    }
  }

  /**
   * Opens the region on a path for the peer's device.
   *
   * @param then runs when requests find the region open, whatever link the answer uses; or when it
   *     will not or cannot be open
   */
  void openBy(BulkPath path, Runnable then) {
    Opening made = opening(path);
    if (made == null) {
      then.run();
    } else {
      made.whenReady(then);
    }
  }

  /** Returns the peer's data to reach the region on a path; null if it is not open there. */
  byte @Nullable [] openOn(BulkPath path) {
    Opening now = opening;
    if (now == null || now.path != path || !now.ready || now.shut) {
      return null;
    }
    return now.target.advertisement();
  }

  private synchronized @Nullable Opening opening(BulkPath path) {
    boolean reads = (ref.access() & Regions.READ) != 0;
    boolean writes = (ref.access() & Regions.WRITE) != 0;
    Opening now = opening;
    if (now != null) {
      return now.path == path && !now.shut ? now : null;
    }
    boolean fits = ref.length() > 0 && ref.length() <= MOST_OPENED_BYTES;
    if (!open || !fits || memory.isReadOnly() || (!reads && !writes)) {
      return null;
    }
    try {
      Opening made = new Opening(path, path.port.expose(memory, reads, writes));
      opening = made;
      watch();
      return made;
    } catch (LinkException e) {
      return null; // no room to pin it: the loop serves the requests
    }
  }

  private void watch() {
    watch =
        loop.timers()
            .schedule(
                loop.clock().nanoTime() + WATCHED_NANOS,
                now -> {
                  if (closeIfFreed().isOpen()) {
                    watch();
                  }
                });
  }

  /**
   * Closes the region if its owner has freed the memory too early. Not under the lock, because
   * callbacks run here.
   */
  Exposure closeIfFreed() {
    if (!memory.scope().isAlive()) {
      close();
    }
    return this;
  }

  /** Returns whether the region is open to the peer's device on some path. */
  synchronized boolean isOpened() {
    return opening != null;
  }

  void pathClosed(BulkPath path) {
    Opening now = opening;
    if (now != null && now.path == path) {
      now.shut();
    }
  }

  private void shut() {
    Opening now = opening;
    if (now != null) {
      now.shut();
    }
  }

  // ---- requests of the peer, on the loop ----

  synchronized void read(long[] offsets, int[] lengths, WireOut out) {
    checkOpen(Regions.READ, "read");
    for (int i = 0; i < offsets.length; i++) {
      checkRange(offsets[i], lengths[i]);
    }
    out.writeCount(offsets.length);
    for (int i = 0; i < offsets.length; i++) {
      long at = offsets[i];
      out.writeSegment(
          isWord(at, lengths[i])
              ? MemorySegment.ofArray(new long[] {(long) LONG.getVolatile(memory, at)})
              : memory.asSlice(at, lengths[i]));
      VarHandle.acquireFence(); // before the next piece
    }
  }

  synchronized void write(long[] offsets, MemorySegment[] values) {
    checkOpen(Regions.WRITE, "written");
    for (int i = 0; i < offsets.length; i++) {
      checkRange(offsets[i], values[i].byteSize());
    }
    for (int i = 0; i < offsets.length; i++) {
      long at = offsets[i];
      long length = values[i].byteSize();
      if (isWord(at, length)) {
        long[] word = new long[1];
        MemorySegment.ofArray(word).copyFrom(values[i]);
        LONG.setVolatile(memory, at, word[0]);
      } else {
        MemorySegment.copy(values[i], 0, memory, at, length);
      }
      VarHandle.fullFence(); // before the next piece
    }
  }

  synchronized long compareAndExchange(long offset, long expected, long value) {
    checkAtomic(offset);
    return (long) LONG.compareAndExchange(memory, offset, expected, value);
  }

  synchronized long getAndAdd(long offset, long delta) {
    checkAtomic(offset);
    return (long) LONG.getAndAdd(memory, offset, delta);
  }

  /** Returns whether a range is read and written atomically. */
  private boolean isWord(long at, long length) {
    return length == Long.BYTES && (memory.address() + at) % Long.BYTES == 0;
  }

  private void checkAtomic(long offset) {
    checkOpen(Regions.ATOMIC, "used for atomics");
    checkRange(offset, Long.BYTES);
    if (offset % Long.BYTES != 0) {
      throw refused(RpcStatus.INVALID_ARGUMENT, "atomics need an offset that is a multiple of 8");
    }
    if (memory.isMapped()) {
      // Where the file has become shorter a copy throws an InternalError, but an atomic operation
      // would end the process.
      MemorySegment.copy(memory, offset, MemorySegment.ofArray(new long[1]), 0, Long.BYTES);
    }
  }

  private void checkOpen(int right, String done) {
    if (!memory.scope().isAlive()) {
      throw refused(RpcStatus.UNAVAILABLE, "its owner has freed the memory");
    }
    if (!open) {
      throw refused(RpcStatus.UNAVAILABLE, "is no longer exposed");
    }
    if ((ref.access() & right) == 0) {
      throw refused(RpcStatus.PERMISSION_DENIED, "may not be " + done);
    }
  }

  private void checkRange(long offset, long length) {
    if (offset < 0 || offset > ref.length() || length > ref.length() - offset) {
      throw refused(RpcStatus.INVALID_ARGUMENT, "has no %d bytes at %d".formatted(length, offset));
    }
  }

  private RpcException refused(RpcStatus status, String why) {
    return new RpcException(status, ref + ": " + why).notExecuted();
  }
}
