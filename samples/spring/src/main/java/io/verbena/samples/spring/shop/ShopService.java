package io.verbena.samples.spring.shop;

import io.verbena.samples.spring.OutOfStock;
import io.verbena.samples.spring.Shop;
import io.verbena.samples.spring.Stock;
import io.verbena.spring.VerbenaService;
import io.verbena.spring.VerbenaStub;

@VerbenaService
class ShopService implements Shop {
  private final Stock stock;

  ShopService(@VerbenaStub("stock") Stock stock) {
    this.stock = stock;
  }

  @Override
  public Receipt buy(String article, int count) throws OutOfStock {
    return new Receipt(article, count, stock.take(article, count));
  }
}
