package io.verbena.samples.services;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import java.time.Duration;

/** Who buys: {@code java ... Customer shop-host:7401 verbena 2}. */
public final class Customer {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private Customer() {}

  /** Buys once. */
  public static void main(String[] args) {
    if (args.length != 3) {
      System.err.println("usage: Customer HOST:PORT ARTICLE COUNT");
      System.exit(2);
    }
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(args[0])) {
      Shop shop = ShopRpc.client(session, CallOptions.timeout(PATIENCE));
      System.out.println(shop.buy(args[1], Integer.parseInt(args[2])));
    } catch (OutOfStock e) {
      System.out.println(e.getMessage());
    }
  }
}
