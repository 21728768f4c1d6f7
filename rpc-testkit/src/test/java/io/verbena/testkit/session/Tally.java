package io.verbena.testkit.session;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** About the smallest contract there is, to measure what a call itself costs. */
@RpcService(name = "tally")
public interface Tally {
  /** Answers with its argument. */
  @RpcMethod(id = 1, nonBlocking = true)
  int same(int value);
}
