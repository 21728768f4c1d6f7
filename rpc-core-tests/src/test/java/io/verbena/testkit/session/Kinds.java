package io.verbena.testkit.session;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import java.util.concurrent.Flow;

/** A contract with a method for every kind of call. */
@RpcService(name = "kinds.v1")
interface Kinds {
  @RpcMethod(id = 1)
  String plain(String text);

  @RpcMethod(id = 2)
  Received read(Landing into);

  @RpcMethod(id = 3)
  Flow.Publisher<Long> exchange(Flow.Publisher<Long> numbers);

  @RpcMethod(id = 4)
  byte[] large(byte[] bytes);

  @RpcMethod(id = 5, oneway = true)
  void tell(String text);
}
