package io.verbena.it;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.lang.foreign.MemorySegment;

/** The contract that these tests call. */
@RpcService(name = "house.v1")
interface House {
  @RpcMethod(id = 1, nonBlocking = true)
  long add(long number);

  /** Returns when it is interrupted, not before: a call that is under way when things break. */
  @RpcMethod(id = 2, timeout = "2m")
  String stay();

  /** Returns who the caller has proved to be. */
  @RpcMethod(id = 3)
  String whoAmI();

  /** Gives back what it was given. */
  @RpcMethod(id = 4, timeout = "5m")
  MemorySegment same(MemorySegment value);

  /** Gives back what it was told, on the loop. */
  @RpcMethod(id = 5, nonBlocking = true)
  String say(String text);
}
