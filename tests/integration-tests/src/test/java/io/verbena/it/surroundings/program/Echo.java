package io.verbena.it.surroundings.program;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** Says what it is told, and which process says it. */
@RpcService(name = "echo.v1")
public interface Echo {
  /** A word, as it is. */
  @RpcMethod(id = 1, idempotent = true, timeout = "30s")
  Said say(String word);

  /** Keeps a processor busy for so many milliseconds. */
  @RpcMethod(id = 2, timeout = "60s")
  int burn(int millis);

  /** An answer of a process. */
  record Said(String word, long process) {}
}
