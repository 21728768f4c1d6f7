package io.verbena.it.two;

import io.verbena.api.Execution;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.ObjectRef;
import java.util.Map;

/** The calls of machine a to machine b. */
@RpcService(name = "ledger.v1")
interface Ledger {
  /** Notes an entry, and returns the number after it. */
  @RpcMethod(id = 1, nonBlocking = true)
  int enter(int number);

  /** Returns how often each entry was noted, by this server and by those that it has replaced. */
  @RpcMethod(id = 2)
  byte[] timesEntered(int from, int count);

  /** Publishes a pattern in so many bytes. */
  @RpcMethod(id = 3)
  ObjectRef publish(long bytes);

  /** Returns what the server holds, and what was wrong. */
  @RpcMethod(id = 4)
  Map<String, Long> figures();

  /** Calls back with so many numbers, and returns what was told of the execution of each call. */
  @RpcMethod(id = 5)
  Map<Integer, Execution> callBack(int from, int count);
}
