package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.link.PinningCost;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.Thrown;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures once the cost of registering and deregistering memory on a device. The measured memory
 * has been written before, as memory that is sent has been.
 *
 * <p>This takes some milliseconds, so it runs in the background; any thread may call verbs. It
 * shares nothing with the device's loop, and has a protection domain of its own. A domain of the
 * loop could not be freed during the measurement.
 */
final class PinningProbe {
  private static final Logger LOG = LoggerFactory.getLogger(PinningProbe.class);
  private static final int FEW = 1;
  private static final int MANY = 64;
  private static final int TIMES = 5;

  private final IbvContext device;
  private @Nullable CompletableFuture<PinningCost> cost;

  PinningProbe(IbvContext device) {
    this.device = device;
  }

  /**
   * Returns the cost, once it is known; NONE if it cannot be measured. Called on the device's loop;
   * completed on any thread.
   *
   * @param clock used by the measuring thread
   */
  CompletableFuture<PinningCost> cost(NanoClock clock) {
    CompletableFuture<PinningCost> begun = cost;
    if (begun == null) {
      CompletableFuture<PinningCost> measured = new CompletableFuture<>();
      OwnThreads.background(
          "verbena-pinning-cost",
          () -> measured.complete(measure(clock)),
          measured::completeExceptionally);
      begun = measured.exceptionally(PinningProbe::unknown);
      cost = begun;
    }
    return begun;
  }

  private static PinningCost unknown(Throwable failure) {
    LOG.info("The cost of registering memory cannot be measured: {}", Thrown.reason(failure));
    return PinningCost.NONE;
  }

  private PinningCost measure(NanoClock clock) {
    try {
      IbvPd domain = device.allocPd();
      try {
        return measure(VerbsPd.of(domain), clock);
      } finally {
        domain.deallocPd();
      }
    } catch (Exception e) { // DiSNI's signature
      throw new CompletionException(e.getMessage(), e);
    }
  }

  private static PinningCost measure(VerbsPd domain, NanoClock clock) throws IOException {
    double few = nanos(domain, clock, FEW);
    return PinningCost.of(FEW, few, MANY, nanos(domain, clock, MANY));
  }

  /** Returns the best of several measurements, each with memory of its own. */
  private static double nanos(VerbsPd domain, NanoClock clock, int pages) throws IOException {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < TIMES; i++) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment memory =
            arena.allocate((long) pages * PinningCost.PAGE_BYTES, PinningCost.PAGE_BYTES);
        long start = clock.nanoTime();
        IbvMr region =
            domain.registerMemory(memory.address(), memory.byteSize(), Access.LOCAL_WRITE);
        VerbsMr.of(region).deregister();
        best = Math.min(best, clock.nanoTime() - start);
      }
    }
    return best;
  }
}
