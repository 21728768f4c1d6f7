package bad;

import io.verbena.api.*;
import io.verbena.api.bulk.*;
import java.util.*;
import java.util.concurrent.Flow;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  long write(Flow.Publisher<String> a, Flow.Publisher<String> b); // HERE
}
