package bad;

import io.verbena.api.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  String toString(); // HERE

  @RpcMethod(id = 2)
  Store.Copy clone();

  record Copy(String name) {}
}
