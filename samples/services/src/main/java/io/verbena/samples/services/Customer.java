package io.verbena.samples.services;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Who buys: {@code java ... Customer verbena 2}. */
@Command(name = "customer", mixinStandardHelpOptions = true)
public final class Customer implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  @Mixin private Place place = new Place();

  @Parameters(index = "0", paramLabel = "ARTICLE")
  private String article = "";

  @Parameters(index = "1", paramLabel = "COUNT")
  private int count;

  @Option(
      names = "--every",
      paramLabel = "MILLIS",
      description = "buy again and again, after so long, until Enter is pressed")
  private long everyMillis = -1;

  private Customer() {}

  /** Buys once, or again and again. Exit status: how many calls failed, 100 at most. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Customer()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    try (Watch watch = place.watch("customer");
        VerbenaClient client = watch.client();
        BalancedChannel channel = watch.channel(client, place.target("shop"), "shop")) {
      Shop shop = ShopRpc.client(channel, CallOptions.timeout(PATIENCE));
      if (everyMillis < 0) {
        return buy(shop) ? 0 : 1;
      }
      System.out.println("customer, metrics at " + watch.page());
      return buyUntilEnter(shop);
    }
  }

  private int buyUntilEnter(Shop shop) throws Exception {
    int calls = 0;
    int failures = 0;
    while (System.in.available() == 0) {
      calls++;
      failures += buy(shop) ? 0 : 1;
      Thread.sleep(everyMillis);
    }
    System.out.println(calls + " calls, " + failures + " failed");
    return Math.min(100, failures);
  }

  private boolean buy(Shop shop) {
    try {
      System.out.println(shop.buy(article, count));
      return true;
    } catch (OutOfStock e) {
      System.out.println(e.getMessage()); // an answer as good as any
      return true;
    } catch (RpcException e) {
      System.out.println(e.getMessage());
      return false;
    }
  }
}
