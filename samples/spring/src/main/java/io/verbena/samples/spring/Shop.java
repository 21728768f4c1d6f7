package io.verbena.samples.spring;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract for customers. */
@RpcService(name = "shop.v1")
public interface Shop {
  /**
   * Sells some of an article.
   *
   * @throws OutOfStock if there are not enough
   */
  @RpcMethod(id = 1, timeout = "2s")
  Receipt buy(String article, int count) throws OutOfStock;

  /**
   * The result of a sale.
   *
   * @param left the number that is left
   */
  record Receipt(String article, int count, int left) {}
}
