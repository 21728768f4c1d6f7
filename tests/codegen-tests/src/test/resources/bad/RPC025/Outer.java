package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

class Outer {
  @RpcService(name = "store.v1")
  interface Store {
    @RpcMethod(id = 1)
    void put(Item item); // HERE
  }

  private record Item(int id) {}
}
