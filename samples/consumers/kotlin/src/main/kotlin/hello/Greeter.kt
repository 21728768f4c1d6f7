package hello

import io.verbena.api.RpcMethod
import io.verbena.api.RpcService

/** The contract. */
@RpcService(name = "greeter.v1")
interface Greeter {
  @RpcMethod(id = 1) fun greet(name: String): String
}
