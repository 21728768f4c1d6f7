package shop;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;

/** A shop, as the page on the command has it. */
@RpcService(name = "shop.v1")
public interface Shop {
  @RpcMethod(id = 1)
  Item find(String name) throws NoSuchItem;

  @RpcMethod(id = 2)
  long price(List<Order> orders, Optional<Currency> currency);

  @RpcMethod(id = 3)
  Flow.Publisher<Item> watch(String name, int most);

  @RpcMethod(id = 4)
  long total(Flow.Publisher<Integer> prices);

  @RpcMethod(id = 5, oneway = true)
  void audit(String what);

  record Item(String name, long price, LocalDate since, Packing packing) {}

  record Order(String item, int pieces) {}

  enum Currency {
    EUR,
    USD
  }

  sealed interface Packing permits Box, Loose {}

  @RpcType(id = 1)
  record Box(int pieces) implements Packing {}

  @RpcType(id = 2)
  record Loose() implements Packing {}

  /** Not in this shop. */
  class NoSuchItem extends Exception {
    private static final long serialVersionUID = 1L;
    private final String nearest;

    public NoSuchItem(String message, String nearest) {
      super(message);
      this.nearest = nearest;
    }

    public String getNearest() {
      return nearest;
    }
  }

  /** Values that the page does not have. */
  @RpcService(name = "shop.back.v1")
  interface Back {
    @RpcMethod(id = 1)
    String header(String key);

    @RpcMethod(id = 2)
    void sleep();

    @RpcMethod(id = 3)
    Flow.Publisher<Integer> doubled(Flow.Publisher<Integer> amounts);

    @RpcMethod(id = 4)
    Flow.Publisher<Integer> broken();

    @RpcMethod(id = 5)
    Received picture(String name, Landing into);

    @RpcMethod(id = 6)
    int count();

    @RpcMethod(id = 7)
    int count(String text);

    @RpcMethod(id = 8)
    long summed(int weight, Flow.Publisher<Integer> numbers);

    @RpcMethod(id = 9)
    void refuse(String words);

    @RpcMethod(id = 10)
    Flow.Publisher<Integer> silent();

    @RpcMethod(id = 11)
    Flow.Publisher<Integer> endless();
  }
}
