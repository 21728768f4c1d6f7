package io.verbena.core;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** Has arrays come back, by whichever way they go. */
@RpcService(name = "mirror")
interface Mirror {
  @RpcMethod(id = 1)
  byte[] same(byte[] value);
}
