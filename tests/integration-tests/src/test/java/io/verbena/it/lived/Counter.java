package io.verbena.it.lived;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The requests of a desk to its callers. */
@RpcService(name = "counter.v1")
interface Counter {
  @RpcMethod(id = 1, timeout = "30s")
  int count(byte[] bytes);
}
