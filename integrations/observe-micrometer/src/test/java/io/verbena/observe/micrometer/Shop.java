package io.verbena.observe.micrometer;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract that these tests call. */
@RpcService(name = "shop.v1")
interface Shop {
  @RpcMethod(id = 1, nonBlocking = true)
  long price(String article);

  @RpcMethod(id = 2)
  void buy(String article) throws SoldOut;

  @RpcMethod(id = 3)
  void steal(String article);

  /** There is none. */
  final class SoldOut extends Exception {}
}
