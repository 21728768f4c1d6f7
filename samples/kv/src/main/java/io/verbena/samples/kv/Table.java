package io.verbena.samples.kv;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.region.RegionRef;
import java.util.Optional;

/**
 * Keys and small values. A client that has opened the table reads its {@linkplain Bucket buckets}
 * by itself.
 */
@RpcService(name = "kv.table.v1")
public interface Table {
  /** Exposes the buckets to the caller's session, for an hour. */
  @RpcMethod(id = 1)
  RegionRef open();

  /** Reads a value; empty if there is none. */
  @RpcMethod(id = 2, idempotent = true, nonBlocking = true)
  Optional<byte[]> get(String key);

  /**
   * Stores a value in place of the one before.
   *
   * @param value with its key, at most 240 bytes
   */
  @RpcMethod(id = 3, idempotent = true, nonBlocking = true)
  void put(String key, byte[] value);
}
