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
 * Access to the peer's regions by this end's device, without the peer's loop. The first get or put
 * of a region is a call, and asks the peer to open the region on the path of the session's frames.
 * Later ones are READ and WRITE. A get or put without room, path or memory is a call. On the loop,
 * except as stated.
 */
final class OneSided implements Participant {
  /** The most regions of the peer that are remembered. The least recently used one is forgotten. */
  private static final int MOST_KNOWN = 256;

  /** The pause before another request to open a region that was not opened. It grows. */
  private static final long FIRST_PAUSE_NANOS = 2_000_000_000L;

  private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;

  /**
   * An operation with more pieces is a call, because each piece of a read waits for the one before.
   */
  private static final int MOST_PIECES = 48;

  private final SessionImpl session;
  private final EventLoop loop;

  /** Serves operations without a path. */
  private final RegionCalls calls;

  /**
   * Operations that have not requested all of their bytes. They take turns, one piece each. A READ
   * that waits for earlier ones, as a second piece does, then waits for those of all operations at
   * once.
   */
  private final ArrayDeque<Access> waiting = new ArrayDeque<>();

  /**
   * The number of READs that waited for earlier ones. {@code fencedBy} is the path of the last one.
   */
  private long fences;

  private @Nullable BulkPath fencedBy;

  /** The bytes that are requested or written, and not confirmed. */
  private long flying;

  /** The most recently used region is the last. */
  private final LinkedHashMap<Long, Reach> reaches = new LinkedHashMap<>(16, 0.75f, true);

  /** Whether regions are used. No path is looked for before. */
  private volatile boolean begun;

  /** The path of the session's frames, if its device reads and writes by itself. */
  private volatile @Nullable BulkPath path;

  /** A region of the peer that is open, or being opened, on a path. */
  private static final class Reach {
    private final long key;
    private final BulkPath path;

    private int access;

    /** Null until the peer has opened it, and if the peer does not open it. */
    private @Nullable RemoteTarget target;

    private boolean asked;

    /** The pause before the next request to open it. {@code again} is its end. */
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

  /** Starts the use of regions. Safe for use by any thread. */
  void begin() {
    if (!begun) {
      begun = true;
      loop.execute(this::pathChanged);
    }
  }

  /** Returns whether {@link #start} may have a path. Safe for use by any thread. */
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

  /** Continues, because the link may have room again. */
  @Override
  public void afterFrames() {
    pump();
  }

  /**
   * Posts as many bytes at a time as objects may have under way, so that a call meanwhile waits for
   * no more than these.
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
   * Starts a get or put, by the device or by a call.
   *
   * @param block has the bytes of all pieces, one after another; released by this method
   */
  void start(RegionOperation.Move move, Block block) {
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
      return by.port.attach(block.memory(), MemoryLife.HELD);
    } catch (LinkException e) {
      return null;
    }
  }

  private static boolean fit(RegionOperation.Move move, RemoteTarget target) {
    for (RegionPiece piece : move.pieces) {
      if (piece.offset() > target.length() - piece.memory().byteSize()) {
        return false; // the ref says they do; the owner's answer will say more
      }
    }
    return true;
  }

  /**
   * Returns the target of a region that the peer has opened for this right, whatever the ref says;
   * otherwise null.
   */
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
      reach.again = loop.clock().nanoTime() + reach.pause; // calls are used until then
      reach.pause = Math.min(2 * reach.pause, LONGEST_PAUSE_NANOS);
      return;
    }
    try {
      reach.access = attached.access();
      reach.target = reach.path.port.remote(attached.advertisement());
    } catch (LinkException e) {
      session.breakOff("region " + ref.id() + ": " + e.getMessage());
    }
  }

  /**
   * A get or put by the device.
   *
   * <pre>
   *   waiting ──each piece requested──→ posted ──all confirmed──→ over
   *      └──link without room, deadline, cancel by its user────────↑
   * </pre>
   */
  private final class Access {
    private final RegionOperation.Move move;
    private final RemoteTarget target;
    private final BulkPath by;
    private final Block block;
    private final BulkRegion staged;
    private long timer = Timers.NONE;

    /** The next piece, the offset in it, and its offset in the staged memory. */
    private int piece;

    private int pieceAt;
    private long at;

    /** The number of fences at the last request. */
    private long fencesBefore;

    private boolean begun;

    /** Whether no more requests follow, because all were made or the access was stopped. */
    private boolean stopped;

    /** Requests whose end is not known. */
    private int open;

    /** Requests that may use the staged memory. */
    private int using;

    private boolean lost;
    private boolean told;
    private boolean released;
    private @Nullable RuntimeException mistake;

    Access(
        RegionOperation.Move move,
        RemoteTarget target,
        BulkPath by,
        Block block,
        BulkRegion staged) {
      this.move = move;
      this.target = target;
      this.by = by;
      this.block = block;
      this.staged = staged;
    }

    /** Requests a piece, or the rest of one. Returns false if no more may be under way now. */
    private boolean postsPiece() {
      long length = piece < move.pieces.size() ? move.pieces.get(piece).memory().byteSize() : 0;
      while (pieceAt < length) {
        if (!posts((int) Math.min(length - pieceAt, by.port.chunkBytes()))) {
          return stopped;
        }
      }
      piece++;
      pieceAt = 0;
      stopped = piece >= move.pieces.size();
      return true;
    }

    /**
     * Posts a part of a piece. Pieces are read one after another, because adapters may read ahead
     * of a READ. A piece after another operation's fence needs no fence of its own if its previous
     * piece was before that fence.
     */
    private boolean posts(int length) {
      if (flying > 0 && flying + length > by.port.windowBytes()) {
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
            by.port.access(
                target, move.reads, behind, there, staged, at, length, whenDone, this::abandoned);
      } catch (RuntimeException e) {
        mistake = e;
      }
      if (result == SendResult.CLOSED) {
        reaches.remove(move.ref.id()); // the access or the link ends
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

    private void stop() {
      lost = true;
      stopped = true;
      waiting.remove(this);
    }

    /** Ends a request, because it is done or its path is closed. */
    private void over(int length) {
      flying -= length;
      open--;
      if (by.isClosed() && !lost) {
        stop();
      }
      endIfOver();
      pump();
    }

    /** Completes the operation once none of its requests is or will be under way. */
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
        calls.move(move); // a read may be repeated
      } else {
        move.settleFailed(
            failure(RpcStatus.UNAVAILABLE, "its RDMA link was lost: it may have been executed"));
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
        move.settleFailed(failure(RpcStatus.INVALID_ARGUMENT, "the destination memory was freed"));
        return;
      }
      move.settle(null);
    }

    private void givenUp() {
      loop.timers().cancel(timer);
      giveUp("its caller cancelled it");
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

    /** Notes that the ended link no longer uses the memory of one more request. */
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
