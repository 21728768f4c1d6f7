package io.verbena.samples.kv;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import java.util.Optional;

/** Keys and their values, which may be larger than any message. */
@RpcService(name = "kv.v1")
public interface Store {
  /**
   * Reads a value.
   *
   * @param into takes the value
   * @throws NoSuchKey if there is none
   */
  @RpcMethod(id = 1, idempotent = true, timeout = "1m")
  Received get(String key, Landing into) throws NoSuchKey;

  /**
   * Stores a value in place of the one before.
   *
   * @param value published by the caller, at least until this returns
   */
  @RpcMethod(id = 2, idempotent = true, timeout = "1m")
  void put(String key, ObjectRef value);

  /** Returns the length of a value, in bytes; empty if there is none. */
  @RpcMethod(id = 3, idempotent = true, nonBlocking = true)
  Optional<Long> length(String key);

  /** Removes a value; returns whether there was one. */
  @RpcMethod(id = 4, idempotent = true, nonBlocking = true)
  boolean remove(String key);
}
