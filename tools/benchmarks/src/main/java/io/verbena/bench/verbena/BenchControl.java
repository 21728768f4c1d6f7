package io.verbena.bench.verbena;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.bench.usage.HostInfo;
import io.verbena.bench.usage.Usage;

/** The client's calls of the server's process between turns. */
@RpcService(name = "bench.control")
public interface BenchControl {
  /** Returns the usage of the server's process so far. */
  @RpcMethod(id = 1)
  Usage usage();

  /** Returns the properties of the server's host. */
  @RpcMethod(id = 2)
  HostInfo host();

  /** Publishes an object of this size, from memory or from a file; returns its reference. */
  @RpcMethod(id = 4)
  ObjectRef object(int size, boolean fromFile);

  /** Returns the version of the server, which must be the client's. */
  @RpcMethod(id = 5)
  String version();

  /** Starts a rival's server in the server's process. Returns its port. */
  @RpcMethod(id = 3)
  int rivalPort(String name);
}
