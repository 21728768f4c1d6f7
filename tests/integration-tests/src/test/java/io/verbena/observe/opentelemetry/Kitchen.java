package io.verbena.observe.opentelemetry;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** Cooks; a waiter's kitchen is one that asks another. */
@RpcService(name = "kitchen.v1")
interface Kitchen {
  @RpcMethod(id = 1)
  String cook(String dish) throws NoSuchDish;

  @RpcMethod(id = 2, nonBlocking = true)
  long plates();

  /** Not on the menu. */
  final class NoSuchDish extends Exception {}
}
