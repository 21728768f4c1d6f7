package io.verbena.samples.services;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The buyer: {@code java ... Customer verbena 2}. */
@Command(name = "customer", mixinStandardHelpOptions = true)
public final class Customer implements Callable<Integer> {
  /** The first call waits until each service on its way is connected. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();

  @Mixin private Place place = new Place();

  @Parameters(index = "0", paramLabel = "ARTICLE")
  private String article = "";

  @Parameters(index = "1", paramLabel = "COUNT")
  private int count;

  @Option(
      names = "--buyers",
      paramLabel = "N",
      description = "this many customers buy repeatedly until Enter is pressed. Default: one, once")
  private int buyers;

  private volatile boolean enough;

  private Customer() {}

  /** Exit status: 0 if no call failed. {@code OutOfStock} is an answer like any other. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Customer()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    try (Watch watch = place.watch("customer");
        VerbenaClient client = watch.client();
        BalancedChannel channel = watch.channel(client, place.target("shop"), "shop")) {
      Shop shop = ShopRpc.client(channel, CallOptions.timeout(PATIENCE));
      if (buyers == 0) {
        System.out.println(buy(shop));
      } else {
        System.out.println("customer, metrics at " + watch.page() + "; Enter ends it");
        buyUntilEnter(shop);
        System.out.println(calls + " calls, " + failures + " failed");
      }
    }
    return failures.get() == 0 ? 0 : 1;
  }

  private void buyUntilEnter(Shop shop) throws IOException {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < buyers; i++) {
        threads.execute(() -> buyOn(shop));
      }
      int _ = System.in.read();
      enough = true;
    }
  }

  private void buyOn(Shop shop) {
    while (!enough) {
      String _ = buy(shop);
    }
  }

  private String buy(Shop shop) {
    calls.incrementAndGet();
    try {
      return shop.buy(article, count).toString();
    } catch (OutOfStock e) {
      return String.valueOf(e.getMessage());
    } catch (RpcException e) {
      failures.incrementAndGet();
      System.err.println(e.getMessage());
      return "";
    }
  }
}
