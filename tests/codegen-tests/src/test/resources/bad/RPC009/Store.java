package bad;

import io.verbena.api.*;
import library.Moves;

@RpcService(name = "store.v1")
interface Store extends Moves<String> { // HERE
  @Override
  @RpcMethod(id = 3)
  void swap(String left, String right);
}
