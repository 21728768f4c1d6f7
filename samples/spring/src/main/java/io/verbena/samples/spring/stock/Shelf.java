package io.verbena.samples.spring.stock;

import io.verbena.samples.spring.OutOfStock;
import io.verbena.samples.spring.Stock;
import io.verbena.spring.VerbenaService;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

@VerbenaService
class Shelf implements Stock {
  private final Map<String, Integer> there =
      new ConcurrentHashMap<>(Map.of("verbena", 1_000_000, "rose", 3));

  @Override
  public int take(String article, int count) throws OutOfStock {
    while (true) {
      int now = there.getOrDefault(article, 0);
      if (now < count) {
        throw new OutOfStock(count + " of '" + article + "' were asked for, " + now + " are there");
      }
      if (there.replace(article, now, now - count)) {
        return now - count;
      }
    }
  }
}
