package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Quota;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the user or of the pool, for a whole object. It is opened to the sender in pieces, two
 * at a time, because a path may have less room than an object needs. A full piece is closed while
 * the next one fills.
 */
final class MemoryDestination extends Destination {
  private static final int MOST_OPEN = 2;

  /** The most pieces for several paths. A slow path may hold the first one for a while. */
  private static final int MOST_DEALT = 32;

  private final SessionImpl session;
  private final long capacity;
  private MemoryLife life;
  private final LandingPiece.Cutter cutter = new LandingPiece.Cutter();
  private @Nullable MemorySegment memory;
  private BulkMemory.@Nullable Block block;
  private long wanted;
  private int open;
  private boolean checking;

  /** The user's memory that no other transfer may have meanwhile. */
  private @Nullable MemorySegment taken;

  MemoryDestination(SessionImpl session, MemorySegment memory, MemoryLife life) {
    this.session = session;
    this.life = life;
    this.capacity = memory.byteSize();
    this.memory = memory;
  }

  MemoryDestination(SessionImpl session, long capacity) {
    this.session = session;
    this.life = MemoryLife.HELD;
    this.capacity = capacity;
  }

  @Override
  long capacity() {
    return capacity;
  }

  @Override
  boolean isQuicklyPrepared(long length) {
    return memory != null || length <= BulkMemory.CHUNK_BYTES;
  }

  @Override
  RunOn preparedBy() {
    return RunOn.MEMORY;
  }

  @Override
  void prepare(long length, Checksum checksum) throws TransferProblem {
    wanted = length;
    MemorySegment own = memory;
    if (own != null) {
      OpenSource.requireAlive(own);
      take(own.asSlice(0, length));
      return;
    }
    BulkMemory pool = session.context().bulk().memory();
    Quota.Share share = session.memory().share(Memory.BULK);
    boolean lent = Arrived.canLend();
    long bytes = Math.max(1, length);
    BulkMemory.Block claimed = lent ? pool.claim(bytes, share) : pool.claimNew(bytes, share);
    if (claimed == null) {
      throw share.mayEverTake(length)
          ? pool.noRoom(length, share)
          : new TransferProblem(
              RpcStatus.RESOURCE_EXHAUSTED, share.refusal(length, Memory.BULK.setting()));
    }
    block = claimed;
    memory = claimed.memory().asSlice(0, length);
    if (!lent) {
      life = MemoryLife.LENT.of(memory, memory.scope());
    }
  }

  private void take(MemorySegment own) throws TransferProblem {
    if (!LandingsInUse.take(own)) {
      throw new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          "its memory is the landing of another transfer that has not ended: use other memory, or"
              + " wait for that");
    }
    taken = own;
  }

  private void giveBack() {
    if (taken != null) {
      LandingsInUse.giveBack(taken);
      taken = null;
    }
  }

  @Override
  @Nullable LandingPiece next(long offset, long most) {
    MemorySegment whole = memory;
    if (open >= (most < BulkPath.PIECE_BYTES ? MOST_DEALT : MOST_OPEN) || whole == null) {
      return null;
    }
    open++;
    return cutter.cut(offset, whole.asSlice(offset, wanted - offset), life, most);
  }

  @Override
  boolean halves(LandingPiece last) {
    return cutter.halve(last);
  }

  @Override
  void takeBack(LandingPiece last) {
    open--;
  }

  @Override
  void filled(LandingPiece piece) {
    open--;
  }

  @Override
  boolean isIdle() {
    return !checking;
  }

  @Override
  boolean isInPlace() {
    return claimed().scope().isAlive();
  }

  @Override
  void finish(long length, @Nullable Integer expected, Consumer<@Nullable Throwable> then) {
    MemorySegment whole = claimed();
    if (expected == null) {
      // A device may write into pinned pages although their memory was freed.
      RunOn.runHere(() -> OpenSource.requireAlive(whole), then);
      return;
    }
    checking = true;
    RunOn.of(whole)
        .run(
            session,
            () -> {
              OpenSource.requireAlive(whole);
              Crc crc = new Crc();
              crc.update(whole.asSlice(0, length));
              requireSame(expected, crc.value());
            },
            failure -> {
              checking = false;
              then.accept(failure);
            });
  }

  static void requireSame(int expected, int found) throws TransferProblem {
    if (expected != found) {
      throw new TransferProblem(
          RpcStatus.PROTOCOL_ERROR,
          "its checksum is %08x, the sender's is %08x: the object changed on the way"
              .formatted(found, expected));
    }
  }

  @Override
  Received received(long length) {
    giveBack();
    return Arrived.in(claimed().asSlice(0, length), block);
  }

  private MemorySegment claimed() {
    return Objects.requireNonNull(memory, "no memory was claimed");
  }

  @Override
  void discard(boolean keep, Runnable then) {
    giveBack();
    if (block != null) {
      block.release();
    }
    then.run();
  }

  @Override
  boolean isPooled() {
    return !isUsers();
  }

  @Override
  boolean isUsers() {
    return memory != null && block == null;
  }
}
