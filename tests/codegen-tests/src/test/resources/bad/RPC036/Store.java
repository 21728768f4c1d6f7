package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void put(Box<List<String>> box);

  sealed interface Box<T> {}

  @RpcType(id = 1)
  record Items<T>(T first) implements Box<List<T>> {} // HERE
}
