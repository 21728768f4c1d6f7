package io.verbena.core.transfer;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** A contract whose calls are small. */
@RpcService(name = "successor.v1")
interface Successor {
  @RpcMethod(id = 1, nonBlocking = true)
  int of(int number);
}
