package io.verbena.it.lived;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;

/** Large objects, asked for in each way. */
@RpcService(name = "gallery.v1")
interface Gallery {
  /** Sends so many bytes to the caller's landing. */
  @RpcMethod(id = 1, timeout = "1m")
  Received show(long bytes, Landing into);

  /** Publishes so many bytes. */
  @RpcMethod(id = 2, timeout = "1m")
  ObjectRef publish(long bytes);
}
