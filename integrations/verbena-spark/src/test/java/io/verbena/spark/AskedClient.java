package io.verbena.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.MergedBlocksMetaListener;
import org.apache.spark.network.shuffle.checksum.Cause;

/** Stands for Spark's client, and keeps what it was asked for. */
final class AskedClient extends BlockStoreClient {
  final List<String> asked = Collections.synchronizedList(new ArrayList<>());

  @Override
  public void fetchBlocks(
      String host,
      int port,
      String executor,
      String[] blocks,
      BlockFetchingListener listener,
      DownloadFileManager downloads) {
    asked.add(String.join(" ", blocks) + " of " + executor + " at " + host + ":" + port);
  }

  @Override
  public Cause diagnoseCorruption(
      String host,
      int port,
      String executor,
      int shuffle,
      long map,
      int reduce,
      long checksum,
      String algorithm) {
    asked.add(
        "why shuffle_%d_%d_%d of %s at %s:%d is not of %s %d"
            .formatted(shuffle, map, reduce, executor, host, port, algorithm, checksum));
    return Cause.DISK_ISSUE;
  }

  @Override
  public void getMergedBlockMeta(
      String host,
      int port,
      int shuffle,
      int merge,
      int reduce,
      MergedBlocksMetaListener listener) {
    asked.add(
        "chunks of shuffleMerged_%d_%d_%d at %s:%d".formatted(shuffle, merge, reduce, host, port));
  }

  @Override
  public void close() {}
}
