package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1", serializers = DateSerializer.class) // HERE
interface Store {
  @RpcMethod(id = 1)
  void ping();
}

abstract class DateSerializer implements Serializer<Date> {}
