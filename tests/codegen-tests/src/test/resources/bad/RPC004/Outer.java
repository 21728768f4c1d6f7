package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

class Outer {
  @RpcService(name = "store.v1")
  private interface Store { // HERE
    @RpcMethod(id = 1)
    void ping();
  }
}
