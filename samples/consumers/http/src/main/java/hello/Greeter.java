package hello;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract. */
@RpcService(name = "greeter.v1")
public interface Greeter {
  @RpcMethod(id = 1)
  String greet(String name);
}
