package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void put() throws Refused;

  class Refused extends Exception { // HERE
    public Refused(int code, String message) {
      super(message + code);
    }
  }
}
