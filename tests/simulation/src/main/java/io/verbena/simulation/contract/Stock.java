package io.verbena.simulation.contract;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.region.RegionRef;

/** The service of simulated servers for regions, in runs with regions. */
@RpcService(name = "sim.stock.v1")
public interface Stock {
  /** Exposes memory to the caller. */
  @RpcMethod(id = 1)
  RegionRef expose(long op);

  /** Accepts memory that the caller exposes. */
  @RpcMethod(id = 2)
  void lend(long op, RegionRef ref);
}
