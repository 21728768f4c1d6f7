package io.verbena.bench.goal;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.concurrent.Flow;

/** Streams in both directions. */
@RpcService(name = "feed.v1")
public interface Feed {
  @RpcMethod(id = 1)
  Flow.Publisher<byte[]> items(int count);

  @RpcMethod(id = 2)
  int count(Flow.Publisher<byte[]> items);
}
