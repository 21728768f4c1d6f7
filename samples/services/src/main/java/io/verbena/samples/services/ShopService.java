package io.verbena.samples.services;

/** The first service: {@code java ... ShopService --listen HOST:7401}. */
public final class ShopService implements Shop {
  private final Stock stock;

  ShopService(Stock stock) {
    this.stock = stock;
  }

  /**
   * The call to the stock ends no later than this one: the deadline need not be passed on by hand.
   */
  @Override
  public Receipt buy(String article, int count) throws OutOfStock {
    return new Receipt(article, count, stock.take(article, count));
  }

  /** Serves until the process is ended. */
  public static void main(String[] args) {
    ServiceProgram.run(
        "shop",
        here -> ShopRpc.bind(new ShopService(StockRpc.client(here.channel("stock")))),
        args);
  }
}
