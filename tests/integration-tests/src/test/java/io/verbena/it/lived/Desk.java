package io.verbena.it.lived;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** A service whose handlers ask their callers back. */
@RpcService(name = "desk.v1")
interface Desk {
  /** Has the caller count so many bytes, by a callback, and returns what it said. */
  @RpcMethod(id = 1, timeout = "30s")
  int askBack(int bytes);

  @RpcMethod(id = 2, timeout = "30s")
  String ping(String word);
}
