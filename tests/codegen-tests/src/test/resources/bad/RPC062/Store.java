package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void put(Shape shape);

  sealed interface Shape permits Circle, Other {}

  @RpcType(id = 1)
  record Circle(double radius) implements Shape {}

  @RpcType(id = 2) @RpcUnknown record Other(int id) implements Shape {} // HERE
}
