package io.verbena.bench.counts;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract of the measured typed calls. */
@RpcService(name = "bench.repeater")
public interface Repeater {
  /** Returns its argument. */
  @RpcMethod(id = 1, nonBlocking = true)
  byte[] repeat(byte[] message);
}
