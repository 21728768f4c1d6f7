package io.verbena.samples.grpc;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks for prices. Only the target of its channel says that calls use Verbena. */
public final class PriceClient {
  private PriceClient() {}

  /**
   * Returns the last price, and then the next ones, as lines.
   *
   * @param address {@code host:port}
   */
  static List<String> ask(String address, String symbol) throws InterruptedException {
    ManagedChannel channel =
        Grpc.newChannelBuilder("verbena:///" + address, InsecureChannelCredentials.create())
            .build();
    try {
      PricesGrpc.PricesBlockingStub prices =
          PricesGrpc.newBlockingStub(channel).withDeadlineAfter(10, TimeUnit.SECONDS);
      Symbol request = Symbol.newBuilder().setName(symbol).build();
      List<String> lines = new ArrayList<>();
      lines.add("last " + prices.last(request).getCents());
      prices.watch(request).forEachRemaining(price -> lines.add("next " + price.getCents()));
      return lines;
    } finally {
      channel.shutdown().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  /** Prints prices: {@code PriceClient HOST:PORT SYMBOL}. */
  public static void main(String[] arguments) throws Exception {
    ask(arguments[0], arguments[1]).forEach(System.out::println);
  }
}
