package io.verbena.samples.objects;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.ObjectRef;

/** The contract for clients that want the file: a small call, whatever the file's length. */
@RpcService(name = "share.v1")
public interface Share {
  /** Returns the file's name, and the reference to fetch it by. */
  @RpcMethod(id = 1, idempotent = true)
  SharedFile file();

  /**
   * A file to be fetched.
   *
   * @param name without a directory
   * @param object its bytes
   */
  record SharedFile(String name, ObjectRef object) {}
}
