package io.verbena.core.region;

import io.verbena.api.CallOptions;
import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.api.settings.Checks;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.call.OutgoingCalls;
import io.verbena.core.call.SessionCaller;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.LoopThread;
import io.verbena.core.region.RegionOperation.Move;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.runtime.Thrown;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The user's view of a session's regions. It reaches the peer's memory by calls, or by {@link
 * OneSided}. Safe for use by any thread.
 */
public final class SessionRegions implements Regions {
  private final ExposedRegions own;
  private final OneSided device;
  private final RegionCalls calls;
  private final VersionedReads versioned;
  private final OutgoingCalls outgoing;
  private final EventLoop loop;
  private final BulkMemory memory;

  /** Knows the time limit. */
  private final SessionCaller caller;

  public SessionRegions(SessionImpl session, OutgoingCalls outgoing) {
    this.outgoing = outgoing;
    this.loop = session.loop();
    this.memory = session.context().bulk().memory();
    this.caller = new SessionCaller(outgoing, CallOptions.DEFAULT);
    this.own = new ExposedRegions(session);
    this.calls = new RegionCalls(outgoing);
    this.device = new OneSided(session, calls);
    this.versioned = new VersionedReads(loop);
  }

  /** Makes the same regions with another time limit. */
  private SessionRegions(SessionRegions same, Duration timeout) {
    this.outgoing = same.outgoing;
    this.loop = same.loop;
    this.memory = same.memory;
    this.caller = new SessionCaller(outgoing, CallOptions.timeout(timeout));
    this.own = same.own;
    this.calls = same.calls;
    this.device = same.device;
    this.versioned = same.versioned;
  }

  /** Returns the participants of the session, in their order. */
  public Participant[] participants() {
    return new Participant[] {own, device, versioned};
  }

  @Override
  public ExposedRegion expose(MemorySegment memory, int access, Duration lease) {
    return own.expose(memory, access, lease);
  }

  @Override
  public Regions withTimeout(Duration timeout) {
    return new SessionRegions(this, timeout);
  }

  @Override
  public CompletableFuture<Void> get(RegionRef ref, List<RegionPiece> pieces) {
    return get(ref, landings(ref, pieces), deadline(ExposedRegions.GET));
  }

  @Override
  public CompletableFuture<Void> getVersioned(
      RegionRef ref, long version, long offset, MemorySegment into) {
    long[] before = new long[1];
    long[] after = new long[1];
    List<RegionPiece> pieces =
        landings(
            ref,
            List.of(
                new RegionPiece(version, MemorySegment.ofArray(before)),
                new RegionPiece(offset, into),
                new RegionPiece(version, MemorySegment.ofArray(after))));
    Checks.that(version % Long.BYTES == 0, "version", "a multiple of 8", version);
    RegionOperation<Void> whole = new RegionOperation<>(loop, ref, deadline(ExposedRegions.GET));
    return versioned.begin(
        whole,
        () -> get(ref, pieces, whole.deadline),
        () -> before[0] == after[0] && (before[0] & 1) == 0);
  }

  private static List<RegionPiece> landings(RegionRef ref, List<RegionPiece> pieces) {
    List<RegionPiece> into = checked(ref, pieces, READ);
    for (RegionPiece piece : into) {
      MemorySegment memory = piece.memory();
      if (memory.isReadOnly() || !LoopThread.mayRead(memory)) {
        throw new IllegalArgumentException(
            "another thread fills the memory: it must not be read-only, nor belong"
                + " to one thread as that of Arena.ofConfined() does");
      }
    }
    return into;
  }

  private CompletableFuture<Void> get(RegionRef ref, List<RegionPiece> into, long deadline) {
    return begin(new Move(loop, ref, deadline, true, into), staging(into));
  }

  @Override
  public CompletableFuture<Void> put(RegionRef ref, List<RegionPiece> pieces) {
    List<RegionPiece> from = checked(ref, pieces, WRITE);
    long deadline = deadline(ExposedRegions.PUT);
    Block block = staging(from);
    List<RegionPiece> sent;
    try {
      sent = block == null ? from : copied(from, block.memory());
    } catch (IllegalStateException | WrongThreadException e) {
      Objects.requireNonNull(block).release();
      return CompletableFuture.failedFuture(notRead(e));
    }
    return begin(new Move(loop, ref, deadline, false, sent), block);
  }

  /**
   * Moves bytes by this end's device if possible, otherwise by a call.
   *
   * @param block as many bytes, filled for a put; null if the device is not used
   */
  private CompletableFuture<Void> begin(Move move, @Nullable Block block) {
    device.begin();
    if (block == null) {
      calls.move(move);
    } else {
      loop.execute(() -> device.start(move, block));
    }
    return move;
  }

  private @Nullable Block staging(List<RegionPiece> pieces) {
    long bytes = pieces.stream().mapToLong(piece -> piece.memory().byteSize()).sum();
    return device.isAvailable() && bytes > 0 ? memory.claim(bytes) : null;
  }

  private static List<RegionPiece> copied(List<RegionPiece> from, MemorySegment into) {
    List<RegionPiece> copies = new ArrayList<>(from.size());
    long at = 0;
    for (RegionPiece piece : from) {
      long length = piece.memory().byteSize();
      MemorySegment copy = into.asSlice(at, length);
      copies.add(new RegionPiece(piece.offset(), copy.copyFrom(piece.memory())));
      at += length;
    }
    return copies;
  }

  private static RpcException notRead(RuntimeException why) {
    return new RpcException(
        RpcStatus.INVALID_ARGUMENT,
        "the source memory cannot be read: " + Thrown.reason(why),
        CallPhase.ENCODING,
        Execution.NOT_EXECUTED,
        false,
        null,
        why);
  }

  @Override
  public CompletableFuture<Long> compareAndExchange(
      RegionRef ref, long offset, long expected, long value) {
    return exchange(ref, offset, expected, value, before -> before);
  }

  @Override
  public CompletableFuture<Boolean> compareAndSet(
      RegionRef ref, long offset, long expected, long value) {
    return exchange(ref, offset, expected, value, before -> before == expected);
  }

  private <R> CompletableFuture<R> exchange(
      RegionRef ref, long offset, long expected, long value, Function<Long, R> then) {
    checkAtomic(ref, offset);
    return ask(
        ref,
        ExposedRegions.COMPARE_AND_EXCHANGE,
        out -> {
          out.writeVarLong(offset);
          out.writeLong(expected);
          out.writeLong(value);
        },
        then);
  }

  @Override
  public CompletableFuture<Long> getAndAdd(RegionRef ref, long offset, long delta) {
    checkAtomic(ref, offset);
    return ask(
        ref,
        ExposedRegions.GET_AND_ADD,
        out -> {
          out.writeVarLong(offset);
          out.writeLong(delta);
        },
        before -> before);
  }

  private static void checkAtomic(RegionRef ref, long offset) {
    check(ref, ATOMIC, "atomics");
    Checks.between("offset", offset, 0, ref.length() - Long.BYTES);
    Checks.that(offset % Long.BYTES == 0, "offset", "a multiple of 8", offset);
  }

  private static List<RegionPiece> checked(RegionRef ref, List<RegionPiece> pieces, int right) {
    check(ref, right, right == READ ? "reads" : "writes");
    List<RegionPiece> all = List.copyOf(Checks.required("pieces", pieces));
    Checks.between("pieces", all.size(), 0, MOST_PIECES);
    long left = MOST_BYTES;
    for (RegionPiece piece : all) {
      long length = piece.memory().byteSize();
      Checks.between("bytes of all pieces", MOST_BYTES - left + length, 0, MOST_BYTES);
      Checks.between("offset", piece.offset(), 0, ref.length() - length);
      left -= length;
    }
    return all;
  }

  private static void check(RegionRef ref, int right, String what) {
    Checks.required("ref", ref);
    if ((ref.access() & right) == 0) {
      throw new IllegalArgumentException(ref + " does not allow " + what + " by its peer");
    }
  }

  private <S, R> CompletableFuture<R> ask(
      RegionRef ref, MethodDescriptor<S> method, ArgumentWriter more, Function<S, R> then) {
    RegionOperation<R> operation = new RegionOperation<>(loop, ref, deadline(method));
    device.begin();
    calls.ask(operation, method, more, then);
    return operation;
  }

  private long deadline(MethodDescriptor<?> method) {
    return caller.deadline(method, caller.outer(), loop.clock().nanoTime());
  }
}
