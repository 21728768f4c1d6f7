package io.verbena.samples.services;

import java.util.Map;

/**
 * The second service: {@code java ... StockService --listen HOST:7402}. It has no state, so as many
 * instances may run as there is work for.
 */
public final class StockService implements Stock {
  private static final Map<String, Integer> BINS = Map.of("verbena", 7, "rose", 12);

  private final Warehouse warehouse;

  StockService(Warehouse warehouse) {
    this.warehouse = warehouse;
  }

  /**
   * The call to the warehouse ends no later than this one: the deadline need not be passed on by
   * hand.
   */
  @Override
  public int take(String article, int count) throws OutOfStock {
    Integer bin = BINS.get(article);
    if (bin == null) {
      throw new OutOfStock("there is no '" + article + "' here");
    }
    return warehouse.fetch(bin, count);
  }

  /** Serves until the process is ended. */
  public static void main(String[] args) {
    ServiceProgram.run(
        "stock",
        here -> StockRpc.bind(new StockService(WarehouseRpc.client(here.channel("warehouse")))),
        args);
  }
}
