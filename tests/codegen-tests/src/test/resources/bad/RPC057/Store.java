package bad;

import io.verbena.api.*;
import io.verbena.api.bulk.*;
import java.util.*;
import java.util.concurrent.Flow;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1, oneway = true) // HERE
  void write(Flow.Publisher<String> lines);
}
