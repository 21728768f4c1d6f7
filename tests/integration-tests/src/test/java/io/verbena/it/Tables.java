package io.verbena.it;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.region.RegionRef;

/** Hands out a region to whoever asks. */
@RpcService(name = "tables.v1")
interface Tables {
  @RpcMethod(id = 1)
  RegionRef open();
}
