package bad;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import kotlin.coroutines.Continuation;

/** As kapt shows a suspend function. */
@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  Object get(String id, Continuation<? super String> completion); // HERE
}
