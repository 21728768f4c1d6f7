package io.verbena.cli.demo;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** What the demonstration's client serves: the server calls back. */
@RpcService(name = "gardener.v1")
interface Gardener {
  /** Looks at a plant; returns what there is to say about it. */
  @RpcMethod(id = 1)
  String look(Garden.Plant plant);
}
