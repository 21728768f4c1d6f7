package io.verbena.bench.counts;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract whose costs are counted. All of it is handled on the event loop. */
@RpcService(name = "bench.counted")
public interface Counted {
  /** Returns the message. */
  @RpcMethod(id = 1, nonBlocking = true)
  byte[] echo(byte[] message);

  /** Takes the message and returns its length. */
  @RpcMethod(id = 2, nonBlocking = true)
  int take(byte[] message);

  /** Takes the message. */
  @RpcMethod(id = 3, oneway = true, nonBlocking = true)
  void drop(byte[] message);
}
