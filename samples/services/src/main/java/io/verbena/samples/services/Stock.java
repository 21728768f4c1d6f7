package io.verbena.samples.services;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract for the shop. */
@RpcService(name = "stock.v1")
public interface Stock {
  /**
   * Takes some of an article from the shelf; returns how many are left.
   *
   * @throws OutOfStock if there are not enough
   */
  @RpcMethod(id = 1)
  int take(String article, int count) throws OutOfStock;
}
