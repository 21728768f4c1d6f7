package io.verbena.codegen.v1;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import java.util.List;

/** The shop as it was. */
@RpcService(name = "shop.v1")
public interface Shop {
  @RpcMethod(id = 1)
  List<Item> find(Query query);

  @RpcMethod(id = 2)
  String pay(Payment payment, Currency currency);

  record Query(String text) {}

  record Item(String name, long price) {}

  enum Currency {
    EUR,
    USD
  }

  sealed interface Payment permits Cash {}

  @RpcType(id = 1)
  record Cash(long amount) implements Payment {}
}
