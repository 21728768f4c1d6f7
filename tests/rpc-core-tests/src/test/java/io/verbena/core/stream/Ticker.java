package io.verbena.core.stream;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.concurrent.Flow;

/** A contract with streams. */
@RpcService(name = "ticker.v1")
public interface Ticker {
  @RpcMethod(id = 1)
  Flow.Publisher<Long> ticks();

  /** Takes one, and leaves the others. */
  @RpcMethod(id = 2)
  void start(Flow.Publisher<Long> ticks);

  /** Takes one, and sends others. */
  @RpcMethod(id = 3)
  Flow.Publisher<Long> exchange(Flow.Publisher<Long> ticks);

  /** Sends texts of these lengths. */
  @RpcMethod(id = 4)
  Flow.Publisher<String> texts(int[] lengths);

  @RpcMethod(id = 5)
  void nothing();

  /** Sends ticks, by a handler that runs on the loop. */
  @RpcMethod(id = 6, nonBlocking = true)
  Flow.Publisher<Long> ticksOnLoop();

  @RpcMethod(id = 7, nonBlocking = true)
  void nothingOnLoop();
}
