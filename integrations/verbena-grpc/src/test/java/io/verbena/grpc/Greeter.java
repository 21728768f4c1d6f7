package io.verbena.grpc;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** A contract of Verbena at the port of a gRPC server. */
@RpcService(name = "greeter.v1")
public interface Greeter {
  /** Greets. */
  @RpcMethod(id = 1)
  String greet(String name);
}
