package io.verbena.bench.overload;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** A service of a bounded capacity, as in front of a database. */
@RpcService(name = "bench.counter")
public interface Counter {
  /** Waits for its turn, then takes its time; returns the number. */
  @RpcMethod(id = 1, timeout = "500ms")
  long serve(long number);
}
