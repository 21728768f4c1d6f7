package io.verbena.it.lived;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The least that a call can be. */
@RpcService(name = "successor.v1")
interface Successor {
  @RpcMethod(id = 1, timeout = "20s")
  long of(long number);
}
