package io.verbena.spark;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import java.util.List;

/** What an executor serves to the other executors of its application. */
@RpcService(name = "verbena.spark.ShuffleBlocks.v1")
interface ShuffleBlocks {
  /**
   * Returns blocks, joined in the order of their names, behind a table of their lengths: 8 bytes
   * for each, big-endian.
   */
  @RpcMethod(id = 1, idempotent = true)
  Received fetch(Wanted wanted, Landing into);

  /**
   * The blocks that a task needs.
   *
   * @param application the application's id
   * @param executor the executor that is expected to have the blocks
   * @param blocks their names in Spark, such as {@code shuffle_0_3_7}
   */
  record Wanted(String application, String executor, List<String> blocks) {}
}
