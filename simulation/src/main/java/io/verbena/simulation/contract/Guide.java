package io.verbena.simulation.contract;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** What simulated clients do for the servers that call them back. */
@RpcService(name = "sim.guide.v1")
public interface Guide {
  /** Counts. */
  @RpcMethod(id = 1, nonBlocking = true)
  long stop(long op);
}
