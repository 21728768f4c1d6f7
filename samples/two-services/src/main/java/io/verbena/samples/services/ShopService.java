package io.verbena.samples.services;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;

/** The first service: {@code java ... ShopService 7401 stock-host:7402}. */
public final class ShopService implements Shop {
  private final Stock stock;

  ShopService(Stock stock) {
    this.stock = stock;
  }

  /** The call to the stock ends no later than this one: nothing has to be passed on by hand. */
  @Override
  public Receipt buy(String article, int count) throws OutOfStock {
    return new Receipt(article, count, stock.take(article, count));
  }

  /** The stock need not be there yet: a session connects when it is first used. */
  static VerbenaServer start(String address, VerbenaClient client, String stockAddress) {
    Stock stock = StockRpc.client(client.session(stockAddress));
    return VerbenaServer.builder()
        .listen(address)
        .serve(ShopRpc.bind(new ShopService(stock)))
        .start();
  }

  /** Serves until the process is ended. */
  public static void main(String[] args) throws InterruptedException {
    if (args.length != 2) {
      System.err.println("usage: ShopService PORT STOCK-HOST:PORT");
      System.exit(2);
    }
    try (VerbenaClient client = VerbenaClient.builder().build();
        VerbenaServer server = start("0.0.0.0:" + args[0], client, args[1])) {
      System.out.println("shop at " + server.address());
      server.awaitClose();
    }
  }
}
