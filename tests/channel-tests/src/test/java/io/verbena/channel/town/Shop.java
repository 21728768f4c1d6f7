package io.verbena.channel.town;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** What the servers of these tests serve. */
@RpcService(name = "shop.v1")
public interface Shop {
  /** Returns who answers; must not be executed twice. */
  @RpcMethod(id = 1)
  String who(String text);
}
