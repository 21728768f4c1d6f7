package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void put(Grow<String> grow);

  record Grow<T>(T value, Optional<Grow<List<T>>> next) {} // HERE
}
