package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(
    name = "store.v1",
    serializers = {First.class, Second.class}) // HERE
interface Store {
  @RpcMethod(id = 1)
  void put(Date date);
}

class First implements Serializer<Date> {
  @Override
  public int classId() {
    return 1;
  }

  @Override
  public void write(WireOut out, Date value) {}

  @Override
  public Date read(WireIn in) {
    return new Date();
  }
}

class Second extends First {}
