package bad;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void paint(library.Colour colour); // HERE
}
