package io.verbena.bench.soak;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.bench.usage.Held;

/** What is called. Each call is counted in {@link Executions} by its number. */
@RpcService(name = "bench.soak")
interface SoakService {
  /** Returns what comes after the number. */
  @RpcMethod(id = 1)
  long enter(long number);

  /** Returns what comes after the number, on the loop. */
  @RpcMethod(id = 2, nonBlocking = true, idempotent = true)
  long look(long number);

  /** Counts the number. */
  @RpcMethod(id = 3, oneway = true)
  void note(long number);

  /** Returns the value. */
  @RpcMethod(id = 4)
  byte[] echo(long number, byte[] value);

  /** Returns the reference of an object that is the same for all, {@link SoakData#object}. */
  @RpcMethod(id = 5, idempotent = true)
  ObjectRef object();

  /** Collects garbage and returns what the server's process holds. */
  @RpcMethod(id = 6, timeout = "60s", idempotent = true)
  Held held();
}
