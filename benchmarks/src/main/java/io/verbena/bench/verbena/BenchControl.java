package io.verbena.bench.verbena;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.bench.usage.HostInfo;
import io.verbena.bench.usage.Usage;
import java.util.Map;

/** What the client asks the server's process between turns. */
@RpcService(name = "bench.control")
public interface BenchControl {
  /** Returns what the server's process has used so far. */
  @RpcMethod(id = 1)
  Usage usage();

  /** Returns what the server runs on. */
  @RpcMethod(id = 2)
  HostInfo host();

  /** Returns the ports at which the server has rivals listen, by their name. */
  @RpcMethod(id = 3)
  Map<String, Integer> rivalPorts();
}
