package io.verbena.fuzz.contract;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.List;
import java.util.concurrent.Flow;

/** A contract with streams. */
@RpcService(name = "arboretum.v1")
public interface Arboretum {
  /** An item. */
  record Leaf(String name, List<Integer> veins) {}

  /** Sends leaves as they are asked for, without end where there are none to be sent. */
  @RpcMethod(id = 1)
  Flow.Publisher<Leaf> fall(int leaves);

  /** Takes leaves, and does not wait for them. */
  @RpcMethod(id = 2)
  void rake(Flow.Publisher<Leaf> leaves);
}
