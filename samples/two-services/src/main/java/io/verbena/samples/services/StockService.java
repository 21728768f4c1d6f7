package io.verbena.samples.services;

import io.verbena.core.VerbenaServer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The second service: {@code java ... StockService 7402}. */
public final class StockService implements Stock {
  private final Map<String, Integer> shelf =
      new ConcurrentHashMap<>(Map.of("verbena", 12, "rose", 3));

  @Override
  public int take(String article, int count) throws OutOfStock {
    while (true) {
      int there = shelf.getOrDefault(article, 0);
      if (there < count) {
        throw new OutOfStock(
            count + " of '" + article + "' were asked for, " + there + " are there");
      }
      if (shelf.replace(article, there, there - count)) {
        return there - count;
      }
    }
  }

  static VerbenaServer start(String address, Stock stock) {
    return VerbenaServer.builder().listen(address).serve(StockRpc.bind(stock)).start();
  }

  /** Serves until the process is ended. */
  public static void main(String[] args) throws InterruptedException {
    if (args.length != 1) {
      System.err.println("usage: StockService PORT");
      System.exit(2);
    }
    try (VerbenaServer server = start("0.0.0.0:" + args[0], new StockService())) {
      System.out.println("stock at " + server.address());
      server.awaitClose();
    }
  }
}
