package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

import org.jspecify.annotations.Nullable;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void put(@Nullable byte[] bytes); // HERE
}
