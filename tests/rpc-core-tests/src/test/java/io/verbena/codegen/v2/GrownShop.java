package io.verbena.codegen.v2;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The shop after it has grown. */
@RpcService(name = "shop.v1")
public interface GrownShop {
  @RpcMethod(id = 1)
  List<Item> find(Query query, int limit, @Nullable String language);

  @RpcMethod(id = 2)
  String pay(Payment payment, Currency currency);

  @RpcMethod(id = 3)
  void close();

  record Query(String text, Optional<String> category, List<String> tags) {}

  record Item(String name, long price, Map<String, String> labels, @Nullable Item related) {}

  enum Currency {
    EUR,
    USD,
    CHF
  }

  sealed interface Payment permits Cash, Card {}

  @RpcType(id = 1)
  record Cash(long amount, boolean exact) implements Payment {}

  @RpcType(id = 2)
  record Card(String number) implements Payment {}
}
