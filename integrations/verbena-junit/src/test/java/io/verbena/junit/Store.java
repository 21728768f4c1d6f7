package io.verbena.junit;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import java.util.concurrent.Flow;

/** The contract that these tests call. */
@RpcService(name = "store.v1")
interface Store {
  /** Returns a value; empty where there is none. */
  @RpcMethod(id = 1, idempotent = true)
  String get(String key);

  /** Adds to a value, and returns it. */
  @RpcMethod(id = 2)
  String append(String key, String text);

  /** Returns when the service is told to go on. */
  @RpcMethod(id = 3, timeout = "1m")
  String waitFor(String key);

  /** Reads a value that may be large. */
  @RpcMethod(id = 4, idempotent = true)
  Received read(String key, Landing into);

  /** Returns a value's length. */
  @RpcMethod(id = 5, nonBlocking = true, timeout = "2s")
  int length(String key);

  /** Returns a value over and over. */
  @RpcMethod(id = 6)
  Flow.Publisher<String> watch(String key);
}
