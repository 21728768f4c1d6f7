package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = " ") // HERE
interface Store {
  @RpcMethod(id = 1)
  void ping();
}
