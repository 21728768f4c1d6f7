package io.verbena.channel.town;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract of these tests' servers. */
@RpcService(name = "shop.v1")
public interface Shop {
  /** Returns who answers; must not be executed twice. */
  @RpcMethod(id = 1)
  String who(String text);
}
