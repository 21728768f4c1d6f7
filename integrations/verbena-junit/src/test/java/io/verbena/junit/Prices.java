package io.verbena.junit;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** A contract that no test here serves. */
@RpcService(name = "prices.v1")
interface Prices {
  /** Returns a price. */
  @RpcMethod(id = 1)
  int of(String key);
}
