package io.verbena.samples.services;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The last service, which has the goods: {@code java ... WarehouseService --listen HOST:7403}. */
public final class WarehouseService implements Warehouse {
  private final Map<Integer, Integer> bins;

  WarehouseService(Map<Integer, Integer> bins) {
    this.bins = new ConcurrentHashMap<>(bins);
  }

  @Override
  public int fetch(int bin, int count) throws OutOfStock {
    while (true) {
      int there = bins.getOrDefault(bin, 0);
      if (there < count) {
        throw new OutOfStock(count + " of bin " + bin + " were asked for, " + there + " are there");
      }
      if (bins.replace(bin, there, there - count)) {
        return there - count;
      }
    }
  }

  /** Serves until the process is ended. */
  public static void main(String[] args) {
    Map<Integer, Integer> full = Map.of(7, 1_000_000, 12, 3);
    ServiceProgram.run("warehouse", here -> WarehouseRpc.bind(new WarehouseService(full)), args);
  }
}
