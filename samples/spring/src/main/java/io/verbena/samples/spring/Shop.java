package io.verbena.samples.spring;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** What customers call. */
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
   * What was sold.
   *
   * @param left how many there are still
   */
  record Receipt(String article, int count, int left) {}
}
