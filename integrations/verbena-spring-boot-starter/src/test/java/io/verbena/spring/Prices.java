package io.verbena.spring;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** A second contract. */
@RpcService(name = "prices.v1")
public interface Prices {
  @RpcMethod(id = 1, idempotent = true)
  int cents(String article);
}
