package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.core.NanoClock;
import io.verbena.core.link.PinningCost;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What registering memory costs on a device, and deregistering it: measured once, with pages that
 * are there. Pages that have to be made first cost that too, whoever touches them.
 */
final class Pinning {
  private static final Logger LOG = LoggerFactory.getLogger(Pinning.class);
  private static final int FEW = 1;
  private static final int MANY = 64;
  private static final int TIMES = 5;

  private @Nullable PinningCost known;

  /** Returns the cost, measured in this domain if it is not known. On the loop of the device. */
  PinningCost cost(VerbsPd domain, NanoClock clock) {
    PinningCost cost = known;
    if (cost == null) {
      try {
        cost = measure(domain, clock);
      } catch (IOException e) {
        LOG.info("What registering memory costs cannot be measured: {}", e.getMessage());
        cost = PinningCost.NONE;
      }
      known = cost;
    }
    return cost;
  }

  private static PinningCost measure(VerbsPd domain, NanoClock clock) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory =
          arena.allocate((long) MANY * PinningCost.PAGE_BYTES, PinningCost.PAGE_BYTES);
      double few = nanos(domain, clock, memory.address(), FEW);
      return PinningCost.of(FEW, few, MANY, nanos(domain, clock, memory.address(), MANY));
    }
  }

  private static double nanos(VerbsPd domain, NanoClock clock, long address, int pages)
      throws IOException {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < TIMES; i++) {
      long start = clock.nanoTime();
      IbvMr region =
          domain.registerMemory(address, (long) pages * PinningCost.PAGE_BYTES, Access.LOCAL_WRITE);
      VerbsMr.of(region).deregister();
      best = Math.min(best, clock.nanoTime() - start);
    }
    return best;
  }
}
