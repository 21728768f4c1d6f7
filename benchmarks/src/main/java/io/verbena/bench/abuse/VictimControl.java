package io.verbena.bench.abuse;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.bench.usage.Held;

/** What is asked of the server that is misused. */
@RpcService(name = "bench.victim")
interface VictimControl {
  /** Collects garbage and returns what the server's process holds. */
  @RpcMethod(id = 1, timeout = "30s")
  Held held();

  /** Begins to look for another peak of memory. */
  @RpcMethod(id = 2, timeout = "30s")
  void forgetPeak();
}
