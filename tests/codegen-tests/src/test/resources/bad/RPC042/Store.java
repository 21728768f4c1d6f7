package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1", serializers = Any.class) // HERE
interface Store {
  @RpcMethod(id = 1)
  void put();
}

class Any implements Serializer<Object[]> {
  @Override
  public int classId() {
    return 1;
  }

  @Override
  public void write(WireOut out, Object[] value) {}

  @Override
  public Object[] read(WireIn in) {
    return new Object[0];
  }
}
