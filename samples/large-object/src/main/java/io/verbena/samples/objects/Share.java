package io.verbena.samples.objects;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.ObjectRef;

/** What those who want the file call: a small call, whatever the file's length. */
@RpcService(name = "share.v1")
public interface Share {
  /** Returns what the file is called, and what to fetch. */
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
