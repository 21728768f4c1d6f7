package io.verbena.core.region;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.session.Participant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads of structs that others write meanwhile. Each read is repeated after a growing pause until
 * no writer interfered or the deadline has passed. On the loop, except for {@link #begin}.
 */
final class VersionedReads implements Participant {
  /** Most writers need less. */
  private static final long FIRST_PAUSE_NANOS = 20_000;

  /** A writer whose thread was suspended runs again by then, or not for long. */
  private static final long LONGEST_PAUSE_NANOS = 10_000_000;

  private final EventLoop loop;
  private final Set<Read> pausing = new LinkedHashSet<>();

  VersionedReads(EventLoop loop) {
    this.loop = loop;
  }

  /**
   * Begins a read. Safe for use by any thread.
   *
   * @param once reads once, until the deadline at the latest
   * @param atRest returns whether no writer interfered with the last read
   */
  CompletableFuture<Void> begin(
      RegionOperation<Void> operation,
      Supplier<CompletableFuture<Void>> once,
      BooleanSupplier atRest) {
    new Read(operation, once, atRest).make();
    return operation;
  }

  /** Fails the paused reads at once, as their next attempt would fail. */
  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    List.copyOf(pausing).forEach(Read::goOn);
  }

  private final class Read {
    private final RegionOperation<Void> operation;
    private final Supplier<CompletableFuture<Void>> once;
    private final BooleanSupplier atRest;
    private long pause = FIRST_PAUSE_NANOS;
    private long timer = Timers.NONE;
    private int made;

    Read(
        RegionOperation<Void> operation,
        Supplier<CompletableFuture<Void>> once,
        BooleanSupplier atRest) {
      this.operation = operation;
      this.once = once;
      this.atRest = atRest;
    }

    private void make() {
      made++;
      CompletableFuture<Void> read = once.get();
      operation.endBy(() -> read.cancel(true));
      read.whenComplete(
          (none, thrown) -> {
            if (made > 1 && isOutOfTime(thrown)) {
              operation.settleFailed(written(made - 1));
            } else if (thrown != null) {
              operation.settleFailed(thrown);
            } else if (atRest.getAsBoolean()) {
              operation.settle(null);
            } else {
              loop.execute(this::pause);
            }
          });
    }

    private void pause() {
      long now = loop.now();
      pausing.add(this);
      timer =
          loop.timers().schedule(now + Math.min(pause, operation.deadline - now), later -> goOn());
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      operation.endBy(this::goOn);
    }

    private void goOn() {
      pausing.remove(this);
      loop.timers().cancel(timer);
      if (loop.now() - operation.deadline < 0) {
        make();
      } else {
        operation.settleFailed(written(made));
      }
    }

    private static boolean isOutOfTime(@Nullable Throwable thrown) {
      return thrown instanceof RpcException e && e.status() == RpcStatus.DEADLINE_EXCEEDED;
    }

    private RpcException written(int reads) {
      return RegionCalls.failed(
          RpcStatus.DEADLINE_EXCEEDED,
          "each of %d reads of a struct in %s met a concurrent write"
              .formatted(reads, operation.ref),
          null);
    }
  }
}
