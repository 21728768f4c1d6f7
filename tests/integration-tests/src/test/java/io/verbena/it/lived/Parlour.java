package io.verbena.it.lived;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract of a server that is killed. */
@RpcService(name = "parlour.v1")
interface Parlour {
  @RpcMethod(id = 1, idempotent = true, timeout = "1m")
  long next(long number);

  /** Says that it has begun, and returns when it is interrupted. */
  @RpcMethod(id = 2, timeout = "2m")
  String stay();
}
