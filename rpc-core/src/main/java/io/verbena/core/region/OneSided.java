package io.verbena.core.region;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.BulkRegion;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.util.ArrayDeque;
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

  /** What has more goes by a call: each piece that is read waits for the one before. */
  private static final int MOST_PIECES = 48;

  private final SessionImpl session;
  private final EventLoop loop;

  /** Do what finds no path. */
  private final RegionCalls calls;

  /**
   * Those that have not asked for all of their bytes. They take turns, a piece each: so a READ that
   * waits for those before it, as a second piece does, does so for all of them at once.
   */
  private final ArrayDeque<Access> waiting = new ArrayDeque<>();

  /** How many READs have waited for those before them, and by which path the last one did. */
  private long fences;

  private @Nullable BulkPath fencedBy;

  /** So many bytes are asked for, or written, and have not come. */
  private long flying;

  /** The one that was used last at the end. */
  private final LinkedHashMap<Long, Reach> reaches = new LinkedHashMap<>(16, 0.75f, true);

  /** There are regions: before, no path is looked for. */
  private volatile boolean begun;

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

    private boolean asked;

    /** Where it has not opened it: for how long it is not asked, and until when. */
    private long pause = FIRST_PAUSE_NANOS;

    private long again;

    Reach(long key, BulkPath path) {
      this.key = key;
      this.path = path;
    }
  }

  OneSided(SessionImpl session, RegionCalls calls) {
    this.session = session;
    this.calls = calls;
    this.loop = session.loop();
  }

  /** Regions are used from now on. Safe for any thread. */
  void begin() {
    if (!begun) {
      begun = true;
      loop.execute(this::pathChanged);
    }
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
    for (Access access : List.copyOf(waiting)) {
      if (access.by == closed) {
        access.stop();
        access.endIfOver();
      }
    }
  }

  @Override
  public boolean takesTurns() {
    return !waiting.isEmpty();
  }

  /** The link may have a place again that others had. */
  @Override
  public void afterFrames() {
    pump();
  }

  /**
   * Has the device go on, by as many bytes at a time as objects have under way: a call that is made
   * meanwhile waits for these, and for no more.
   */
  private void pump() {
    Access next;
    while ((next = waiting.poll()) != null) {
      if (!next.postsPiece()) {
        waiting.addFirst(next);
        return;
      }
      if (next.stopped) {
        next.endIfOver();
      } else {
        waiting.addLast(next);
      }
    }
  }

  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    reaches.clear();
  }

  /**
   * Starts a get or put, or has it done by a call.
   *
   * @param block has as many bytes as its pieces, one behind the other; released by this
   */
  void start(Operation.Move move, Block block) {
    if (move.isGivenUp()) {
      block.release();
      move.settleFailed(new CancellationException());
      return;
    }
    RemoteTarget target = reach(move.ref, move.reads ? Regions.READ : Regions.WRITE);
    BulkPath by = path;
    BulkRegion staged =
        target == null || by == null || move.pieces.size() > MOST_PIECES || !fit(move, target)
            ? null
            : staged(by, block);
    if (target == null || by == null || staged == null) {
      calls.move(move);
      block.release();
      return;
    }
    Access access = new Access(move, target, by, block, staged);
    access.timer =
        loop.timers().schedule(move.deadline, now -> access.giveUp("its deadline passed"));
    move.endBy(access::givenUp);
    boolean alone = waiting.isEmpty();
    waiting.add(access);
    if (alone) {
      session.turnsChanged();
    }
    session.schedulePump(); // together with others of this cycle
  }

  private static @Nullable BulkRegion staged(BulkPath by, Block block) {
    try {
      return by.port().attach(block.memory(), MemoryLife.HELD);
    } catch (LinkException e) {
      return null;
    }
  }

  private static boolean fit(Operation.Move move, RemoteTarget target) {
    for (RegionPiece piece : move.pieces) {
      if (piece.offset() > target.length() - piece.memory().byteSize()) {
        return false; // the ref says that they do, and the owner will say more
      }
    }
    return true;
  }

  /** Returns the region, where the peer has opened it for that; whatever the ref says. */
  private @Nullable RemoteTarget reach(RegionRef ref, int right) {
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
      ask(ref, made);
      return null;
    }
    if (known.key != ref.key()) {
      return null;
    }
    if (known.target == null && !known.asked && loop.clock().nanoTime() - known.again >= 0) {
      ask(ref, known);
    }
    return (known.access & right) != 0 ? known.target : null;
  }

  private void ask(RegionRef ref, Reach reach) {
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

  /**
   * A get or put by the device.
   *
   * <pre>
   *   waiting ──each piece asked for──→ posted ──all are here──→ over
   *      └──a link that takes no more, a deadline, its holder──────↑
   * </pre>
   */
  private final class Access {
    private final Operation.Move move;
    private final RemoteTarget target;
    private final BulkPath by;
    private final Block block;
    private final BulkRegion staged;
    private long timer = Timers.NONE;

    /** Which piece comes next, from where on, and where that is in the staged memory. */
    private int piece;

    private int pieceAt;
    private long at;

    /** How many fences there had been when it was asked for last. */
    private long fencesBefore;

    private boolean begun;

    /** No more of it is asked for: it has been, or shall not be. */
    private boolean stopped;

    /** Requests of which it is not known that they are done, or never will be. */
    private int open;

    /** Requests that may touch the staged memory. */
    private int using;

    private boolean lost;
    private boolean told;
    private boolean released;
    private @Nullable RuntimeException mistake;

    Access(Operation.Move move, RemoteTarget target, BulkPath by, Block block, BulkRegion staged) {
      this.move = move;
      this.target = target;
      this.by = by;
      this.block = block;
      this.staged = staged;
    }

    /** Asks for a piece, or the rest of one; returns false where no more may be under way now. */
    private boolean postsPiece() {
      long length = piece < move.pieces.size() ? move.pieces.get(piece).memory().byteSize() : 0;
      while (pieceAt < length) {
        if (!posts((int) Math.min(length - pieceAt, by.port().chunkBytes()))) {
          return stopped;
        }
      }
      piece++;
      pieceAt = 0;
      stopped = piece >= move.pieces.size();
      return true;
    }

    /**
     * Pieces that are read are so one after the other: adapters may read ahead of a READ. One that
     * was posted behind another's fence, which its own last piece was before, needs none.
     */
    private boolean posts(int length) {
      if (flying > 0 && flying + length > by.port().windowBytes()) {
        return false;
      }
      BulkPath.Flight flight = by.fly(0, () -> over(length));
      Runnable whenDone =
          () -> {
            using--;
            flight.run();
            releaseIfFree();
          };
      boolean behind =
          move.reads && begun && pieceAt == 0 && (fencedBy != by || fencesBefore == fences);
      SendResult result = SendResult.CLOSED;
      try {
        long there = move.pieces.get(piece).offset() + pieceAt;
        result =
            by.port()
                .access(
                    target,
                    move.reads,
                    behind,
                    there,
                    staged,
                    at,
                    length,
                    whenDone,
                    this::abandoned);
      } catch (RuntimeException e) {
        mistake = e;
      }
      if (result == SendResult.CLOSED) {
        reaches.remove(move.ref.id()); // it ends, or the link does
        stop();
      }
      if (result != SendResult.SENT) {
        return false;
      }
      if (behind) {
        fences++;
        fencedBy = by;
      }
      fencesBefore = fences;
      flight.sent();
      flying += length;
      begun = true;
      open++;
      using++;
      at += length;
      pieceAt += length;
      return true;
    }

    /** The rest of it is not asked for. */
    private void stop() {
      lost = true;
      stopped = true;
      waiting.remove(this);
    }

    /** A request is done, or its path closed. */
    private void over(int length) {
      flying -= length;
      open--;
      if (by.isClosed() && !lost) {
        stop();
      }
      endIfOver();
      pump();
    }

    /** Tells what became of it, once nothing of it is, or will be, under way. */
    private void endIfOver() {
      if (!stopped || open > 0) {
        return;
      }
      loop.timers().cancel(timer);
      if (!told) {
        told = true;
        tell();
      }
      releaseIfFree();
    }

    private void tell() {
      RuntimeException thrown = mistake;
      if (!lost) {
        finish();
      } else if (!begun && thrown != null) {
        move.settleFailed(
            new RpcException(RpcStatus.INTERNAL, move.ref + " could not be reached", thrown)
                .notExecuted());
      } else if (move.reads || !begun) {
        calls.move(move); // a read does no harm twice
      } else {
        move.settleFailed(
            failure(
                RpcStatus.UNAVAILABLE, "its RDMA link was lost, and it may have been done or not"));
      }
    }

    private void finish() {
      try {
        long at = 0;
        for (RegionPiece piece : move.reads ? move.pieces : List.<RegionPiece>of()) {
          long length = piece.memory().byteSize();
          piece.memory().copyFrom(block.memory().asSlice(at, length));
          at += length;
        }
      } catch (IllegalStateException e) {
        move.settleFailed(
            failure(RpcStatus.INVALID_ARGUMENT, "the memory to read into has been freed"));
        return;
      }
      move.settle(null);
    }

    private void givenUp() {
      loop.timers().cancel(timer);
      giveUp("its caller gave up");
    }

    private void giveUp(String why) {
      if (!told) {
        told = true;
        move.settleFailed(failure(RpcStatus.DEADLINE_EXCEEDED, why));
      }
      stop();
      endIfOver();
      pump();
    }

    private RpcException failure(RpcStatus status, String why) {
      return new RpcException(
          status,
          "a %s of a region failed: %s: %s".formatted(move.reads ? "get" : "put", status, why),
          begun ? CallPhase.SENT : CallPhase.QUEUED,
          begun ? Execution.UNKNOWN : Execution.NOT_EXECUTED,
          move.reads,
          null,
          null);
    }

    /** The link has ended, and touches the memory of one more request no longer. */
    private void abandoned() {
      using--;
      releaseIfFree();
    }

    private void releaseIfFree() {
      if (using == 0 && stopped && !released) {
        released = true;
        staged.release();
        block.release();
      }
    }
  }
}
