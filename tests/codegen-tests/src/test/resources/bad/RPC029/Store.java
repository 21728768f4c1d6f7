package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.concurrent.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  CompletionStage<String> get(int key); // HERE
}
