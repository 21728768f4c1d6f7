package io.verbena.bench.jmh;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** What a typed call is measured with. */
@RpcService(name = "bench.repeater")
public interface Repeater {
  /** Returns its argument. */
  @RpcMethod(id = 1, nonBlocking = true)
  byte[] repeat(byte[] message);
}
