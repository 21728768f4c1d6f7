package io.verbena.cli.demo;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The service of the demonstration's client, which the server calls back. */
@RpcService(name = "gardener.v1")
interface Gardener {
  /** Looks at a plant, and returns a remark about it. */
  @RpcMethod(id = 1)
  String look(Garden.Plant plant);
}
