package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void put(String item);

  class Shelf implements Store {
    @Override
    @RpcMethod(id = 1)
    public void put(String item) {} // HERE
  }
}
