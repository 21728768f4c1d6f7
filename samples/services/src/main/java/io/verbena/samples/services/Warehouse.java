package io.verbena.samples.services;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract for the stock. */
@RpcService(name = "warehouse.v1")
public interface Warehouse {
  /**
   * Takes some of the goods in a bin; returns how many are left there.
   *
   * @throws OutOfStock if there are not enough
   */
  @RpcMethod(id = 1)
  int fetch(int bin, int count) throws OutOfStock;
}
