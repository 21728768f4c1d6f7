package io.verbena.bench.features;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.concurrent.Flow;

/** The contract by which features are measured. */
@RpcService(name = "bench.bell")
public interface Bell {
  /** Returns the number, on the event loop. */
  @RpcMethod(id = 1, nonBlocking = true, idempotent = true)
  long ring(long number);

  /** Returns as many items. */
  @RpcMethod(id = 2)
  Flow.Publisher<Long> peal(int items);
}
