package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.wire.WireException;
import io.verbena.codegen.v1.Shop;
import io.verbena.codegen.v1.ShopRpc;
import io.verbena.codegen.v2.GrownShop;
import io.verbena.codegen.v2.GrownShopRpc;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An old and a new version of one contract, each calling the other. */
@SuppressWarnings("SameNameButDifferent") // two versions of one contract
class EvolutionTest {
  private final List<Object> received = new ArrayList<>();

  private final Shop oldShop =
      new Shop() {
        @Override
        public List<Item> find(Query query) {
          received.add(query);
          return List.of(new Item("old", 1));
        }

        @Override
        public String pay(Payment payment, Currency currency) {
          received.add(payment);
          return currency.name();
        }
      };

  private final GrownShop newShop =
      new GrownShop() {
        @Override
        public List<Item> find(Query query, int limit, @Nullable String language) {
          received.add(query);
          received.add(limit + " " + language);
          Item related = new Item("related", 3, Map.of(), null);
          return List.of(new Item("new", 2, Map.of("a", "b"), related));
        }

        @Override
        public String pay(Payment payment, Currency currency) {
          received.add(payment);
          return currency.name();
        }

        @Override
        public void close() {
          received.add("closed");
        }
      };

  private final Shop oldCallsNew =
      ShopRpc.SERVICE.client().apply(new Wired(GrownShopRpc.bind(newShop)));
  private final GrownShop newCallsOld =
      GrownShopRpc.SERVICE.client().apply(new Wired(ShopRpc.bind(oldShop)));

  @Test
  void aNewServerReadsDefaultsForWhatAnOldClientDoesNotSend() {
    assertThat(oldCallsNew.find(new Shop.Query("tea")))
        .as("and the old client skips what it does not know")
        .containsExactly(new Shop.Item("new", 2));
    assertThat(received)
        .containsExactly(new GrownShop.Query("tea", Optional.empty(), List.of()), "0 null");
  }

  @Test
  void anOldServerSkipsWhatANewClientAdds() {
    var query = new GrownShop.Query("tea", Optional.of("hot"), List.of("x"));
    assertThat(newCallsOld.find(query, 10, "en"))
        .containsExactly(new GrownShop.Item("old", 1, Map.of(), null));
    assertThat(received).containsExactly(new Shop.Query("tea"));
  }

  @Test
  void enumsAndSealedTypesGrow() {
    assertThat(oldCallsNew.pay(new Shop.Cash(5), Shop.Currency.USD)).isEqualTo("USD");
    assertThat(received).containsExactly(new GrownShop.Cash(5, false));
    assertThatThrownBy(() -> newCallsOld.pay(new GrownShop.Cash(5, true), GrownShop.Currency.CHF))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("Currency has nothing numbered 2 in the reader's contract");
    assertThatThrownBy(() -> newCallsOld.pay(new GrownShop.Card("4711"), GrownShop.Currency.EUR))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("Payment has nothing numbered 2 in the reader's contract");
  }

  @Test
  void aMemberWithoutDefaultThatIsMissingIsNamed() {
    Shop client =
        ShopRpc.SERVICE
            .client()
            .apply(
                new Wired(ShopRpc.bind(oldShop)).tamper(bytes -> new byte[] {0}, bytes -> bytes));
    assertThatThrownBy(() -> client.find(new Shop.Query("tea")))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("Query.text is missing and has no default");
    Shop empty =
        ShopRpc.SERVICE
            .client()
            .apply(new Wired(ShopRpc.bind(oldShop)).tamper(bytes -> new byte[0], bytes -> bytes));
    assertThatThrownBy(() -> empty.find(new Shop.Query("tea")))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("argument 'query' of find is missing");
  }

  @Test
  void theHashesDifferAndAreStable() {
    long old = ShopRpc.SERVICE.schema().hash();
    assertThat(ShopRpc.SERVICE.schema().hash()).isEqualTo(old);
    assertThat(GrownShopRpc.SERVICE.schema().hash()).isNotEqualTo(old);
  }
}
