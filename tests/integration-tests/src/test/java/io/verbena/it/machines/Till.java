package io.verbena.it.machines;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract. Each call has a number of its own, which it is given back. */
@RpcService(name = "till.v1")
interface Till {
  @RpcMethod(id = 1, idempotent = true)
  long price(long call);

  @RpcMethod(id = 2)
  long charge(long call);
}
