package io.verbena.simulation.contract;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.concurrent.Flow;

/** The service of simulated clients, which servers call back. */
@RpcService(name = "sim.guide.v1")
public interface Guide {
  /** Counts. */
  @RpcMethod(id = 1, nonBlocking = true)
  long stop(long op);

  /** Sends a stream. */
  @RpcMethod(id = 2)
  Flow.Publisher<Item> watch(long op);

  /** Takes a stream. */
  @RpcMethod(id = 3)
  long collect(long op, Flow.Publisher<Item> items);

  /** Takes one stream and sends another. */
  @RpcMethod(id = 4)
  Flow.Publisher<Item> exchange(long op, Flow.Publisher<Item> items);
}
