package io.verbena.spring;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract, served and called. */
@RpcService(name = "stock.v1")
public interface Stock {
  @RpcMethod(id = 1, idempotent = true)
  int count(String article);
}
