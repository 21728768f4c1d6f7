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
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A session's regions as its users have them: asks the peer by calls, or reaches its memory by
 * {@link OneSided}. Safe for any thread.
 */
public final class SessionRegions implements Regions {
  /** So long the peer may take to open a region to the device, however short a first get's time. */
  private static final long OPENING_NANOS = 5_000_000_000L;

  private final ExposedRegions own;
  private final OneSided device;
  private final VersionedReads versioned;
  private final OutgoingCalls calls;
  private final EventLoop loop;
  private final BulkMemory memory;

  /** By no interceptor. */
  private final SessionCaller caller;

  /** The peer's service is, or will be, compared with this end's. */
  private volatile boolean expects;

  /** The regions of the session that has these calls. */
  public SessionRegions(SessionImpl session, OutgoingCalls calls) {
    this(
        new ExposedRegions(session),
        new OneSided(session),
        new VersionedReads(session.loop()),
        calls,
        CallOptions.DEFAULT);
  }

  private SessionRegions(
      ExposedRegions own,
      OneSided device,
      VersionedReads versioned,
      OutgoingCalls calls,
      CallOptions options) {
    this.own = own;
    this.device = device;
    this.versioned = versioned;
    this.calls = calls;
    this.caller = new SessionCaller(calls, options);
    SessionImpl session = caller.host().session();
    this.loop = session.loop();
    this.memory = session.bulkContext().memory();
  }

  /** Returns those that take part in the session. */
  public Participant exposed() {
    return own;
  }

  /** Returns what reaches the peer's without its loop. */
  public Participant device() {
    return device;
  }

  /** Returns what reads structs that are written meanwhile. */
  public Participant versioned() {
    return versioned;
  }

  @Override
  public ExposedRegion expose(MemorySegment memory, int access, Duration lease) {
    return own.expose(memory, access, lease);
  }

  @Override
  public Regions withTimeout(Duration timeout) {
    return new SessionRegions(own, device, versioned, calls, CallOptions.timeout(timeout));
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
    Checks.that(version % Long.BYTES == 0, "version", "divided by 8", version);
    long deadline = deadline(ExposedRegions.GET);
    return versioned.begin(
        ref,
        deadline,
        () -> get(ref, pieces, deadline),
        () -> before[0] == after[0] && (before[0] & 1) == 0);
  }

  private static List<RegionPiece> landings(RegionRef ref, List<RegionPiece> pieces) {
    List<RegionPiece> into = checked(ref, pieces, READ);
    for (RegionPiece piece : into) {
      MemorySegment memory = piece.memory();
      if (memory.isReadOnly() || !LoopThread.mayRead(memory)) {
        throw new IllegalArgumentException(
            "what is read arrives on another thread: its memory must not be read-only, nor belong"
                + " to one thread as that of Arena.ofConfined() does");
      }
    }
    return into;
  }

  private CompletableFuture<Void> get(RegionRef ref, List<RegionPiece> into, long deadline) {
    Operation<Void> operation = new Operation<>(loop);
    Block block = staging(into);
    if (block == null) {
      getByCall(operation, ref, into, deadline);
    } else {
      move(operation, ref, true, into, block, deadline);
    }
    return operation;
  }

  private void getByCall(
      Operation<Void> operation, RegionRef ref, List<RegionPiece> into, long deadline) {
    ask(
        operation,
        ref,
        ExposedRegions.GET,
        out -> {
          out.writeCount(into.size());
          for (RegionPiece piece : into) {
            out.writeVarLong(piece.offset());
            out.writeVarInt((int) piece.memory().byteSize());
          }
        },
        values -> {
          land(values, into);
          return null;
        },
        deadline);
  }

  private static void land(List<MemorySegment> values, List<RegionPiece> into) {
    boolean fits = values.size() == into.size();
    for (int i = 0; fits && i < values.size(); i++) {
      fits = values.get(i).byteSize() == into.get(i).memory().byteSize();
    }
    if (!fits) {
      throw failed(
          RpcStatus.PROTOCOL_ERROR, "the peer sent other pieces than were asked for", null);
    }
    try {
      for (int i = 0; i < values.size(); i++) {
        into.get(i).memory().copyFrom(values.get(i));
      }
    } catch (IllegalStateException e) {
      throw failed(RpcStatus.INVALID_ARGUMENT, "the memory to read into has been freed", e);
    }
  }

  private static RpcException failed(RpcStatus status, String why, @Nullable Throwable cause) {
    return new RpcException(status, why, CallPhase.REPLIED, Execution.EXECUTED, true, null, cause);
  }

  @Override
  public CompletableFuture<Void> put(RegionRef ref, List<RegionPiece> pieces) {
    List<RegionPiece> from = checked(ref, pieces, WRITE);
    Operation<Void> operation = new Operation<>(loop);
    long deadline = deadline(ExposedRegions.PUT);
    Block block = staging(from);
    if (block == null) {
      putByCall(operation, ref, from, deadline);
      return operation;
    }
    List<RegionPiece> copies;
    try {
      copies = copied(from, block.memory());
    } catch (IllegalStateException | WrongThreadException e) {
      block.release();
      operation.settleFailed(notRead(e));
      return operation;
    }
    move(operation, ref, false, copies, block, deadline);
    return operation;
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
        "what is put cannot be read: " + why.getMessage(),
        CallPhase.ENCODING,
        Execution.NOT_EXECUTED,
        false,
        null,
        why);
  }

  private void putByCall(
      Operation<Void> operation, RegionRef ref, List<RegionPiece> from, long deadline) {
    ask(
        operation,
        ref,
        ExposedRegions.PUT,
        out -> {
          out.writeCount(from.size());
          for (RegionPiece piece : from) {
            out.writeVarLong(piece.offset());
            out.writeSegment(piece.memory());
          }
        },
        nothing -> null,
        deadline);
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
    Checks.that(offset % Long.BYTES == 0, "offset", "divided by 8", offset);
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
      throw new IllegalArgumentException(ref + " takes no " + what + " of its peer's");
    }
  }

  /** Has the peer asked by a call; what it answers with, and where that goes. */
  private <S, R> CompletableFuture<R> ask(
      RegionRef ref, MethodDescriptor<S> method, ArgumentWriter more, Function<S, R> then) {
    Operation<R> operation = new Operation<>(loop);
    ask(operation, ref, method, more, then, deadline(method));
    return operation;
  }

  private long deadline(MethodDescriptor<?> method) {
    return caller.deadline(method, caller.outer(), loop.clock().nanoTime());
  }

  private <S, R> void ask(
      Operation<R> operation,
      RegionRef ref,
      MethodDescriptor<S> method,
      ArgumentWriter more,
      Function<S, R> then,
      long deadline) {
    CompletableFuture<S> call = call(ref, method, more, deadline);
    operation.endBy(() -> call.cancel(true));
    call.whenComplete(
        (answer, thrown) -> {
          if (thrown != null) {
            operation.settleFailed(inWords(ref, thrown));
            return;
          }
          R result;
          try {
            result = then.apply(answer);
          } catch (Throwable e) {
            operation.settleFailed(e);
            return;
          }
          operation.settle(result);
        });
  }

  private <S> CompletableFuture<S> call(
      RegionRef ref, MethodDescriptor<S> method, ArgumentWriter more, long deadline) {
    expect();
    try {
      return caller.beginOwn(
          method,
          out -> {
            out.writeVarLong(ref.id());
            out.writeLong(ref.key());
            more.write(out);
          },
          false,
          deadline);
    } catch (RpcException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void expect() {
    if (!expects) {
      caller.host().session().caller(ExposedRegions.SERVICE, CallOptions.DEFAULT);
      device.begin();
      expects = true;
    }
  }

  // ---- by the device ----

  /**
   * Moves bytes by this end's own device where that can be, else by a call.
   *
   * @param pieces those of a put have their bytes in the block
   */
  private void move(
      Operation<Void> operation,
      RegionRef ref,
      boolean reads,
      List<RegionPiece> pieces,
      Block block,
      long deadline) {
    loop.execute(() -> device.start(ref, reads, pieces, block, operation, deadline, this));
  }

  /** Asks the peer to open a region to this end's device. */
  CompletableFuture<ExposedRegions.Attached> attach(RegionRef ref) {
    long deadline = loop.clock().nanoTime() + OPENING_NANOS;
    return call(ref, ExposedRegions.REACH, out -> {}, deadline);
  }

  void moveByCall(
      Operation<Void> operation,
      RegionRef ref,
      boolean reads,
      List<RegionPiece> pieces,
      long deadline) {
    if (reads) {
      getByCall(operation, ref, pieces, deadline);
    } else {
      putByCall(operation, ref, pieces, deadline);
    }
  }

  /** Returns memory for as many bytes; null where the device does not move them. */
  private @Nullable Block staging(List<RegionPiece> pieces) {
    long bytes = 0;
    for (RegionPiece piece : pieces) {
      bytes += piece.memory().byteSize();
    }
    return bytes > 0 && device.isAvailable() ? memory.claim(bytes) : null;
  }

  /** A peer that has exposed nothing in this session does not serve what was called. */
  private static Throwable inWords(RegionRef ref, Throwable thrown) {
    if (thrown instanceof RpcException e && e.status() == RpcStatus.UNIMPLEMENTED) {
      return new RpcException(
          RpcStatus.UNAVAILABLE,
          ref + " is not the peer's: it exposes nothing in this session",
          e.phase(),
          Execution.NOT_EXECUTED,
          true,
          null,
          e);
    }
    return thrown;
  }
}
