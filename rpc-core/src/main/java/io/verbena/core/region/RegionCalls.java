package io.verbena.core.region;

import io.verbena.api.CallOptions;
import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.call.OutgoingCalls;
import io.verbena.core.call.SessionCaller;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls of the peer's region service. Safe for use by any thread. */
final class RegionCalls {
  /** The time for the peer to open a region to the device, even if the first get has less. */
  private static final long OPENING_NANOS = 5_000_000_000L;

  /** Calls without interceptors. */
  private final SessionCaller caller;

  /** Whether the peer's service is, or will be, compared with this end's. */
  private volatile boolean expects;

  RegionCalls(OutgoingCalls calls) {
    this.caller = new SessionCaller(calls, CallOptions.DEFAULT);
  }

  void move(RegionOperation.Move move) {
    List<RegionPiece> pieces = move.pieces;
    if (move.reads) {
      ask(
          move,
          ExposedRegions.GET,
          out -> {
            out.writeCount(pieces.size());
            for (RegionPiece piece : pieces) {
              out.writeVarLong(piece.offset());
              out.writeVarInt((int) piece.memory().byteSize());
            }
          },
          values -> {
            land(values, pieces);
            return null;
          });
    } else {
      ask(
          move,
          ExposedRegions.PUT,
          out -> {
            out.writeCount(pieces.size());
            for (RegionPiece piece : pieces) {
              out.writeVarLong(piece.offset());
              out.writeSegment(piece.memory());
            }
          },
          nothing -> null);
    }
  }

  private static void land(List<MemorySegment> values, List<RegionPiece> into) {
    boolean fits = values.size() == into.size();
    for (int i = 0; fits && i < values.size(); i++) {
      fits = values.get(i).byteSize() == into.get(i).memory().byteSize();
    }
    if (!fits) {
      throw failed(RpcStatus.PROTOCOL_ERROR, "the peer sent other pieces than requested", null);
    }
    try {
      for (int i = 0; i < values.size(); i++) {
        into.get(i).memory().copyFrom(values.get(i));
      }
    } catch (IllegalStateException e) {
      throw failed(RpcStatus.INVALID_ARGUMENT, "the destination memory was freed", e);
    }
  }

  static RpcException failed(RpcStatus status, String why, @Nullable Throwable cause) {
    return new RpcException(status, why, CallPhase.REPLIED, Execution.EXECUTED, true, null, cause);
  }

  /** Makes a call, reads its answer and completes the operation. */
  <S, R> void ask(
      RegionOperation<R> operation,
      MethodDescriptor<S> method,
      ArgumentWriter more,
      Function<S, R> then) {
    CompletableFuture<S> call = call(operation.ref, method, more, operation.deadline);
    operation.endBy(() -> call.cancel(true));
    call.whenComplete(
        (answer, thrown) -> {
          if (thrown != null) {
            operation.settleFailed(inWords(operation.ref, thrown));
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

  /** Asks the peer to open a region to this end's device. */
  CompletableFuture<ExposedRegions.Attached> attach(RegionRef ref) {
    long deadline = caller.calls.loop.clock().nanoTime() + OPENING_NANOS;
    return call(ref, ExposedRegions.REACH, out -> {}, deadline);
  }

  private <S> CompletableFuture<S> call(
      RegionRef ref, MethodDescriptor<S> method, ArgumentWriter more, long deadline) {
    if (!expects) {
      caller.calls.session.caller(ExposedRegions.SERVICE, CallOptions.DEFAULT);
      expects = true;
    }
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

  /**
   * Returns the failure for the user. A peer that has exposed no region in this session does not
   * have the service.
   */
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
