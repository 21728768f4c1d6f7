package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void put(Shape shape);

  sealed interface Shape {}

  @RpcType(id = -1) // HERE
  record Circle() implements Shape {}
}
