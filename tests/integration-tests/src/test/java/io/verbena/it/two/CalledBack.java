package io.verbena.it.two;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The calls of machine b to machine a, over the session that a has opened. */
@RpcService(name = "called-back.v1")
interface CalledBack {
  /** Notes an entry, and returns the number after it. */
  @RpcMethod(id = 1, nonBlocking = true)
  int enter(int number);
}
