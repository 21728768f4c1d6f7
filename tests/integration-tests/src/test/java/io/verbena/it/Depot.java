package io.verbena.it;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.ObjectRef;

/** The contract of tests of large objects, served by another process. */
@RpcService(name = "depot.v1")
interface Depot {
  /** Publishes {@link Pattern} in so many bytes. */
  @RpcMethod(id = 1)
  ObjectRef publish(long bytes);

  /** Begins to fetch an object of the caller's, and stops taking more of it in the middle. */
  @RpcMethod(id = 2, oneway = true)
  void beginToFetch(ObjectRef object);
}
