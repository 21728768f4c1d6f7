package bad;

import io.verbena.api.*;
import io.verbena.api.bulk.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  Received read(Landing into, Landing orInto); // HERE
}
