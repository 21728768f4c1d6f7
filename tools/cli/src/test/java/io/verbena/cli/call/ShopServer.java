package io.verbena.cli.call;

import io.verbena.api.CallContext;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaServer;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import shop.Shop;
import shop.ShopRpc;
import shop.Shop_BackRpc;

/** A server over TCP, with what the tests call. */
final class ShopServer implements AutoCloseable {
  final BlockingQueue<String> audited = new LinkedBlockingQueue<>();

  /** Why connections were lost of sessions that nobody had closed. */
  final BlockingQueue<String> losses = new LinkedBlockingQueue<>();

  /** Each endless stream that has ended. */
  final Semaphore ended = new Semaphore(0);

  private final CountDownLatch closing = new CountDownLatch(1);
  private final VerbenaServer server;

  private ShopServer(boolean hasBack) {
    VerbenaServer.Builder builder =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .path(PathPolicy.TCP_ONLY)
            .sessionListener(
                new SessionListener() {
                  @Override
                  public void lost(Session session, String reason) {
                    losses.add(reason);
                  }
                })
            .serve(ShopRpc.bind(new Front()));
    server = (hasBack ? builder.serve(Shop_BackRpc.bind(new BackDoor())) : builder).start();
  }

  /** A server that serves the shop, and no more. */
  static ShopServer ofThePage() {
    return new ShopServer(false);
  }

  /** A server that serves what the page does not have, too. */
  static ShopServer whole() {
    return new ShopServer(true);
  }

  /** Returns {@code host:port}. */
  String address() {
    return server.address().getAuthority();
  }

  @Override
  public void close() {
    closing.countDown();
    server.close();
  }

  private final class Front implements Shop {
    @Override
    public Item find(String name) throws NoSuchItem {
      if (!name.equals("pear")) {
        throw new NoSuchItem("no '" + name + "' here", "pear");
      }
      return new Item("pear", 45, LocalDate.of(2030, 1, 31), new Box(6));
    }

    @Override
    public long price(List<Order> orders, Optional<Currency> currency) {
      long pieces = orders.stream().mapToLong(Order::pieces).sum();
      return pieces * (currency.orElse(Currency.EUR) == Currency.EUR ? 45 : 49);
    }

    @Override
    public Flow.Publisher<Item> watch(String name, int most) {
      return Streams.of(
          IntStream.range(0, most)
              .mapToObj(i -> new Item(name, 45 + i, LocalDate.of(2030, 1, 31), new Loose())));
    }

    @Override
    public long total(Flow.Publisher<Integer> prices) {
      return sum(prices);
    }

    @Override
    public void audit(String what) {
      audited.add(what);
    }
  }

  private static long sum(Flow.Publisher<Integer> numbers) {
    long sum = 0;
    try (StreamIterator<Integer> each = Streams.iterate(numbers)) {
      while (each.hasNext()) {
        sum += each.next();
      }
    }
    return sum;
  }

  private final class BackDoor implements Shop.Back {
    @Override
    public String header(String key) {
      Metadata metadata = Objects.requireNonNull(CallContext.current()).metadata();
      return String.join(",", metadata.all(Metadata.Key.text(key)));
    }

    @Override
    public void sleep() {
      boolean done = false;
      while (!done) { // an answer at the deadline may be there before the client's own timer
        try {
          closing.await();
          done = true;
        } catch (InterruptedException deadline) {
          done = false;
        }
      }
    }

    @Override
    public Flow.Publisher<Integer> doubled(Flow.Publisher<Integer> amounts) {
      StreamIterator<Integer> each = Streams.iterate(amounts);
      return Streams.of(
          Stream.generate(() -> 0).takeWhile(ignored -> each.hasNext()).map(i -> 2 * each.next()));
    }

    @Override
    public Flow.Publisher<Integer> broken() {
      return Streams.of(
          IntStream.range(0, 3)
              .mapToObj(
                  i -> {
                    if (i == 2) {
                      throw new RpcException(RpcStatus.PERMISSION_DENIED, "not that one");
                    }
                    return i;
                  }));
    }

    @Override
    public Received picture(String name, Landing into) {
      throw new AssertionError("never called");
    }

    @Override
    public int count() {
      return 1;
    }

    @Override
    public int count(String text) {
      return text.length();
    }

    @Override
    public long summed(int weight, Flow.Publisher<Integer> numbers) {
      return weight * sum(numbers);
    }

    @Override
    public void refuse(String words) {
      throw new RpcException(RpcStatus.PERMISSION_DENIED, words);
    }

    @Override
    public Flow.Publisher<Integer> endless() {
      return Streams.of(Stream.generate(() -> 7).onClose(ended::release));
    }

    @Override
    public Flow.Publisher<Integer> silent() {
      return subscriber ->
          subscriber.onSubscribe(
              new Flow.Subscription() {
                @Override
                public void request(long number) {}

                @Override
                public void cancel() {}
              });
    }
  }
}
