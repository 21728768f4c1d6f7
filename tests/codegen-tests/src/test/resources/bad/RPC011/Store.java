package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 2)
  void get();

  @RpcMethod(id = 3)
  void put();

  @RpcMethod(id = 2) // HERE
  void remove();
}
