package io.verbena.simulation.contract;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.region.RegionRef;

/** What simulated servers do about regions, in the runs that have some. */
@RpcService(name = "sim.stock.v1")
public interface Stock {
  /** Exposes memory to the caller. */
  @RpcMethod(id = 1)
  RegionRef expose(long op);

  /** Takes memory that the caller exposes. */
  @RpcMethod(id = 2)
  void lend(long op, RegionRef ref);
}
