package io.verbena.spark;

import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;

/** Stands for Spark's client where nothing should go to it. */
final class NoClient extends BlockStoreClient {
  @Override
  public void fetchBlocks(
      String host,
      int port,
      String executor,
      String[] blocks,
      BlockFetchingListener listener,
      DownloadFileManager downloads) {
    throw new AssertionError("blocks were asked of Spark's client");
  }

  @Override
  public void close() {}
}
