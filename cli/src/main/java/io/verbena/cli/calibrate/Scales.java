package io.verbena.cli.calibrate;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** Takes loads, to see how long they are on their way. */
@RpcService(name = "verbena.scales.v1")
interface Scales {
  /** Returns a load's length. */
  @RpcMethod(id = 1, nonBlocking = true, idempotent = true)
  int weigh(byte[] load);
}
