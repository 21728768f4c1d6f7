package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

interface Store { // HERE
  @RpcMethod(id = 1)
  void put(String item);
}
