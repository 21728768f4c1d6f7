package io.verbena.core.region;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.memory.BulkMemory.Block;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.BulkRegion;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What this end of a session reaches of the peer's regions by its own device, without the peer's
 * loop: a region's first get or put asks the peer to open it by the path of the session's frames,
 * and goes by a call; later ones are READ and WRITE. Whatever finds no room, path or memory goes by
 * a call. On the loop, but where it says.
 */
final class OneSided implements Participant {
  /**
   * Of the peer's regions so many are known; the one that was used the longest ago is forgotten.
   */
  private static final int MOST_KNOWN = 256;

  /** A region that was not opened is asked for again after this, and then ever more seldom. */
  private static final long FIRST_PAUSE_NANOS = 2_000_000_000L;

  private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;

  private final SessionImpl session;
  private final EventLoop loop;

  /** The one that was used last at the end. */
  private final LinkedHashMap<Long, Reach> reaches = new LinkedHashMap<>(16, 0.75f, true);

  /** There are regions: before, no path is looked for. */
  private boolean begun;

  /** Where the session's frames go, if its device reads and writes by itself. */
  private volatile @Nullable BulkPath path;

  /** A region of the peer's that was, or is being, opened by a path. */
  private static final class Reach {
    private final long key;
    private final BulkPath path;

    /** What it is open for. */
    private int access;

    /** Null until the peer has opened it, and where it does not. */
    private @Nullable RemoteTarget target;

    /** The peer has not answered yet. */
    private boolean asked;

    /** Where it has not opened it: for how long it is not asked, and until when. */
    private long pause = FIRST_PAUSE_NANOS;

    private long again;

    Reach(long key, BulkPath path) {
      this.key = key;
      this.path = path;
    }
  }

  OneSided(SessionImpl session) {
    this.session = session;
    this.loop = session.loop();
  }

  /** Regions are used from now on. Safe for any thread. */
  void begin() {
    loop.execute(
        () -> {
          begun = true;
          pathChanged();
        });
  }

  /** Returns whether {@link #start} may have a path. Safe for any thread. */
  boolean isAvailable() {
    return path != null;
  }

  @Override
  public void pathChanged() {
    if (begun) {
      path = ExposedRegions.reaching(session);
    }
  }

  @Override
  public void pathClosed(BulkPath closed) {
    reaches.values().removeIf(reach -> reach.path == closed);
    if (path == closed) {
      path = null;
    }
  }

  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    reaches.clear();
  }

  /** Makes calls for this. */
  interface ByCalls {
    /** Asks the peer to open a region. */
    CompletableFuture<ExposedRegions.Attached> attach(RegionRef ref);

    /** Does by a call what finds no path. */
    void instead();
  }

  /**
   * Starts a get or put, or has it done by a call.
   *
   * @param block has as many bytes as the pieces, one behind the other; released by this
   */
  void start(
      RegionRef ref,
      boolean reads,
      List<RegionPiece> pieces,
      Block block,
      Operation<Void> operation,
      long deadline,
      ByCalls calls) {
    if (operation.isGivenUp()) {
      block.release();
      operation.settleFailed(new CancellationException());
      return;
    }
    boolean posted = false;
    try {
      posted = post(ref, reads, pieces, block, operation, deadline, calls);
      if (!posted) {
        calls.instead();
      }
    } catch (RuntimeException e) {
      operation.settleFailed(
          new RpcException(RpcStatus.INTERNAL, ref + " could not be reached", e).notExecuted());
    } finally {
      if (!posted) {
        block.release();
      }
    }
  }

  /** Returns whether the device does it, and uses the block. Where it throws, it does not. */
  private boolean post(
      RegionRef ref,
      boolean reads,
      List<RegionPiece> pieces,
      Block block,
      Operation<Void> operation,
      long deadline,
      ByCalls calls) {
    RemoteTarget target = reach(ref, reads ? Regions.READ : Regions.WRITE, calls);
    BulkPath by = path;
    if (target == null
        || by == null
        || pieces.size() > by.port().accessRoom()
        || !fit(pieces, target)) {
      return false;
    }
    BulkRegion staged;
    try {
      staged = by.port().attach(block.memory(), MemoryLife.HELD);
    } catch (LinkException e) {
      return false;
    }
    boolean posted = false;
    try {
      posted =
          new Access(reads, by, pieces, block, staged, operation, calls).post(target, deadline);
    } finally {
      if (!posted) {
        reaches.remove(ref.id()); // it ends, or the link does
        staged.release();
      }
    }
    return posted;
  }

  private static boolean fit(List<RegionPiece> pieces, RemoteTarget target) {
    for (RegionPiece piece : pieces) {
      if (piece.offset() > target.length() - piece.memory().byteSize()) {
        return false; // the ref says that they do, and the owner will say more
      }
    }
    return true;
  }

  /** Returns the region, where the peer has opened it for that; whatever the ref says. */
  private @Nullable RemoteTarget reach(RegionRef ref, int right, ByCalls calls) {
    BulkPath by = path;
    if (by == null) {
      return null;
    }
    Reach known = reaches.get(ref.id());
    if (known == null || known.path != by) {
      Reach made = new Reach(ref.key(), by);
      reaches.put(ref.id(), made);
      if (reaches.size() > MOST_KNOWN) {
        reaches.pollFirstEntry();
      }
      ask(ref, made, calls);
      return null;
    }
    if (known.key != ref.key()) {
      return null;
    }
    if (known.target == null && !known.asked && loop.clock().nanoTime() - known.again >= 0) {
      ask(ref, known, calls);
    }
    return (known.access & right) != 0 ? known.target : null;
  }

  private void ask(RegionRef ref, Reach reach, ByCalls calls) {
    reach.asked = true;
    CompletableFuture<?> _ =
        calls.attach(ref).whenComplete((attached, failure) -> attached(ref, reach, attached));
  }

  private void attached(RegionRef ref, Reach reach, ExposedRegions.@Nullable Attached attached) {
    if (reaches.get(ref.id()) != reach) {
      return; // its path is closed
    }
    reach.asked = false;
    if (attached == null || session.bulkPath(attached.epoch()) != reach.path) {
      reach.again = loop.clock().nanoTime() + reach.pause; // calls do until then
      reach.pause = Math.min(2 * reach.pause, LONGEST_PAUSE_NANOS);
      return;
    }
    try {
      reach.access = attached.access();
      reach.target = reach.path.port().remote(attached.advertisement());
    } catch (LinkException e) {
      session.breakOff("region " + ref.id() + ": " + e.getMessage());
    }
  }

  /** A get or put that is under way by the device. */
  private final class Access {
    private final boolean reads;
    private final BulkPath by;
    private final List<RegionPiece> pieces;
    private final Block block;
    private final BulkRegion staged;
    private final Operation<Void> operation;
    private final ByCalls calls;
    private long timer = Timers.NONE;

    /** Requests of which it is not known that they are done, or never will be. */
    private int open;

    /** Requests that may touch the staged memory. */
    private int using;

    private boolean lost;
    private boolean told;

    Access(
        boolean reads,
        BulkPath by,
        List<RegionPiece> pieces,
        Block block,
        BulkRegion staged,
        Operation<Void> operation,
        ByCalls calls) {
      this.reads = reads;
      this.by = by;
      this.pieces = pieces;
      this.block = block;
      this.staged = staged;
      this.operation = operation;
      this.calls = calls;
    }

    /** Posts all of it; returns whether some of it was. */
    private boolean post(RemoteTarget target, long deadline) {
      timer = loop.timers().schedule(deadline, now -> expire());
      operation.endBy(this::givenUp);
      try {
        postAll(target);
      } catch (RuntimeException e) {
        lost = true;
        if (open == 0) {
          throw e;
        }
      } finally {
        if (open == 0) {
          told = true;
          loop.timers().cancel(timer);
        }
      }
      return open > 0;
    }

    /** Pieces that are read are so one after the other: adapters may read ahead of a READ. */
    private void postAll(RemoteTarget target) {
      long at = 0;
      for (RegionPiece piece : pieces) {
        int length = (int) piece.memory().byteSize();
        if (length == 0) {
          continue;
        }
        BulkPath.Flight flight = by.fly(length, this::over);
        Runnable whenDone =
            () -> {
              using--;
              flight.run();
              releaseIfFree();
            };
        SendResult result =
            by.port()
                .access(
                    target,
                    reads,
                    reads && open > 0,
                    piece.offset(),
                    staged,
                    at,
                    length,
                    whenDone,
                    this::abandoned);
        if (result != SendResult.SENT) {
          lost = true;
          break;
        }
        flight.sent();
        open++;
        using++;
        at += length;
      }
    }

    /** A request is done, or its path closed. */
    private void over() {
      lost |= by.isClosed();
      if (--open > 0) {
        return;
      }
      loop.timers().cancel(timer);
      if (told) {
        return;
      }
      told = true;
      if (!lost) {
        finish();
      } else if (reads) {
        calls.instead(); // a read does no harm twice
      } else {
        operation.settleFailed(
            failure(
                RpcStatus.UNAVAILABLE, "its RDMA link was lost, and it may have been done or not"));
      }
    }

    private void finish() {
      try {
        long at = 0;
        for (RegionPiece piece : reads ? pieces : List.<RegionPiece>of()) {
          long length = piece.memory().byteSize();
          piece.memory().copyFrom(block.memory().asSlice(at, length));
          at += length;
        }
      } catch (IllegalStateException e) {
        operation.settleFailed(
            failure(RpcStatus.INVALID_ARGUMENT, "the memory to read into has been freed"));
        return;
      }
      operation.settle(null);
    }

    private void expire() {
      timer = Timers.NONE;
      giveUp("its deadline passed");
    }

    private void givenUp() {
      loop.timers().cancel(timer);
      giveUp("its caller gave up");
    }

    private void giveUp(String why) {
      if (!told) {
        told = true;
        operation.settleFailed(failure(RpcStatus.DEADLINE_EXCEEDED, why));
      }
    }

    private RpcException failure(RpcStatus status, String why) {
      return new RpcException(
          status,
          "a %s of a region failed: %s: %s".formatted(reads ? "get" : "put", status, why),
          CallPhase.SENT,
          Execution.UNKNOWN,
          reads,
          null,
          null);
    }

    /** The link has ended, and touches the memory of one more request no longer. */
    private void abandoned() {
      using--;
      releaseIfFree();
    }

    private void releaseIfFree() {
      if (using == 0) {
        staged.release();
        block.release();
      }
    }
  }
}
