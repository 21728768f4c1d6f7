package io.verbena.channel;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;

/** The contract of these tests' servers. */
@RpcService(name = "shop.v1")
interface Shop {
  /** Returns who answers. */
  @RpcMethod(id = 1, idempotent = true)
  String who(String text);

  /** The same, and must not be executed twice. */
  @RpcMethod(id = 2)
  String once(String text);

  @RpcMethod(id = 3, oneway = true)
  void tell(String text);

  @RpcMethod(id = 4)
  Received read(Landing into);
}
