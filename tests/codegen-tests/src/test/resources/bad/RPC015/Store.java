package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1, oneway = true) // HERE
  void audit() throws Refused;

  class Refused extends Exception {
    public Refused(String message) {
      super(message);
    }
  }
}
