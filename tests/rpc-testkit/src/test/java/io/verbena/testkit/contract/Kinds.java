package io.verbena.testkit.contract;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import java.util.concurrent.Flow;

/** A contract with a method for every kind of call. */
@RpcService(name = "kinds.v1")
public interface Kinds {
  @RpcMethod(id = 1)
  String plain(String text);

  @RpcMethod(id = 2, idempotent = true)
  String idempotent(String text);

  @RpcMethod(id = 3)
  byte[] large(byte[] bytes);

  @RpcMethod(id = 4)
  Flow.Publisher<Long> sent(String text);

  @RpcMethod(id = 5)
  long taken(Flow.Publisher<Long> numbers);

  @RpcMethod(id = 6)
  Flow.Publisher<Long> exchanged(Flow.Publisher<Long> numbers);

  @RpcMethod(id = 7)
  Received read(Landing into);

  @RpcMethod(id = 8, oneway = true)
  void tell(String text);
}
