package io.verbena.bench.verbena;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.bench.usage.HostInfo;
import io.verbena.bench.usage.Usage;

/** What the client asks the server's process between turns. */
@RpcService(name = "bench.control")
public interface BenchControl {
  /** Returns what the server's process has used so far. */
  @RpcMethod(id = 1)
  Usage usage();

  /** Returns what the server runs on. */
  @RpcMethod(id = 2)
  HostInfo host();

  /** Publishes an object of this size, from memory or from a file; returns its reference. */
  @RpcMethod(id = 4)
  ObjectRef object(int size, boolean fromFile);

  /** Returns the version of the server's program; a client of another one does not measure it. */
  @RpcMethod(id = 5)
  String version();

  /** Has a rival listen in the server's process; returns its port. */
  @RpcMethod(id = 3)
  int rivalPort(String name);
}
