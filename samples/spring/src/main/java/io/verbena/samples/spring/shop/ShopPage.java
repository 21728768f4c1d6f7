package io.verbena.samples.spring.shop;

import io.verbena.samples.spring.OutOfStock;
import io.verbena.samples.spring.Shop;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The shop for web browsers: the same bean that is served to callers by Verbena. */
@RestController
class ShopPage {
  private final Shop shop;

  ShopPage(Shop shop) {
    this.shop = shop;
  }

  @GetMapping("/buy/{article}/{count}")
  Shop.Receipt buy(@PathVariable String article, @PathVariable int count) {
    try {
      return shop.buy(article, count);
    } catch (OutOfStock e) {
      throw new ResponseStatusException(HttpStatus.CONFLICT, e.getMessage(), e);
    }
  }
}
