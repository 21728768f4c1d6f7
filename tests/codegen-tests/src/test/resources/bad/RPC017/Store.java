package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void get();

  @RpcMethod(id = 2)
  default void put() {} // HERE
}
