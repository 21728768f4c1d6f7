package io.verbena.spark;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.spark.ShuffleBlocks.Wanted;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.MergedBlocksMetaListener;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.network.util.TransportConf;
import org.jspecify.annotations.Nullable;

/**
 * Fetches shuffle blocks over sessions. What is no shuffle block of an executor, and what an
 * executor without the plugin has, goes to Spark's own client. Safe for use by any thread.
 */
final class SessionBlockClient extends BlockStoreClient {
  private final ShuffleExchange exchange;
  private final BlockStoreClient spark;
  private final Supplier<Path> temporaryFiles;

  /**
   * @param spark Spark's own client
   * @param temporaryFiles names files that do not exist
   */
  SessionBlockClient(
      ShuffleExchange exchange,
      String application,
      BlockStoreClient spark,
      Supplier<Path> temporaryFiles,
      TransportConf transport) {
    this.exchange = exchange;
    this.spark = spark;
    this.temporaryFiles = temporaryFiles;
    this.appId = application;
    this.transportConf = transport;
  }

  @Override
  public void fetchBlocks(
      String host,
      int port,
      String executor,
      String[] blocks,
      BlockFetchingListener listener,
      @Nullable DownloadFileManager downloads) {
    ShuffleExchange.Peer peer;
    try {
      peer = isServed(blocks) ? exchange.peer(executor) : null;
    } catch (RuntimeException e) {
      tell(listener, blocks, null, e);
      return;
    }
    if (peer == null) {
      spark.fetchBlocks(host, port, executor, blocks, listener, downloads);
      return;
    }
    Wanted wanted = new Wanted(appId, executor, List.of(blocks));
    CompletableFuture<ManagedBuffer[]> fetched =
        downloads == null ? toMemory(peer, wanted) : toFile(peer, wanted, downloads);
    fetched.whenComplete((buffers, failure) -> tell(listener, blocks, buffers, failure));
  }

  /** Chunks that were merged by push belong to the external shuffle service. */
  private static boolean isServed(String[] blocks) {
    for (String block : blocks) {
      if (!block.startsWith("shuffle_")) {
        return false;
      }
    }
    return true;
  }

  private static void tell(
      BlockFetchingListener listener,
      String[] blocks,
      ManagedBuffer @Nullable [] buffers,
      @Nullable Throwable failure) {
    for (int i = 0; i < blocks.length; i++) {
      if (buffers == null) {
        listener.onBlockFetchFailure(blocks[i], cause(failure));
      } else {
        listener.onBlockFetchSuccess(blocks[i], buffers[i]);
        buffers[i].release();
      }
    }
  }

  /** Returns what a fetch has failed of. */
  static Throwable cause(@Nullable Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure == null ? new IllegalStateException("no blocks came") : failure;
  }

  /**
   * Where the memory for blocks is used up, a temporary file serves: tasks may wait for another.
   */
  private CompletableFuture<ManagedBuffer[]> toMemory(ShuffleExchange.Peer peer, Wanted wanted) {
    return exchange
        .budget()
        .take()
        .thenCompose(room -> room ? toPool(peer, wanted) : toMappedFile(peer, wanted));
  }

  private CompletableFuture<ManagedBuffer[]> toPool(ShuffleExchange.Peer peer, Wanted wanted) {
    return exchange
        .fetch(peer, wanted, Landing.pooled(exchange.memoryBytes()))
        .handle(
            (received, failure) -> {
              if (received != null) {
                return CompletableFuture.completedFuture(inMemory(received, wanted));
              }
              exchange.budget().failed();
              return cause(failure) instanceof RpcException told && isTooLong(told.status())
                  ? toMappedFile(peer, wanted)
                  : CompletableFuture.<ManagedBuffer[]>failedFuture(cause(failure));
            })
        .thenCompose(buffers -> buffers);
  }

  /** For the memory that is free at present, or for all of it. */
  private static boolean isTooLong(RpcStatus status) {
    return status == RpcStatus.RESOURCE_EXHAUSTED || status == RpcStatus.INVALID_ARGUMENT;
  }

  private ManagedBuffer[] inMemory(Received received, Wanted wanted) {
    exchange.budget().landed(received.length());
    return slices(
        received.memory(),
        wanted,
        () -> {
          received.close();
          exchange.budget().consumed(received.length());
        });
  }

  /** The name of the file goes as soon as it is mapped, and its bytes with the last block. */
  private CompletableFuture<ManagedBuffer[]> toMappedFile(
      ShuffleExchange.Peer peer, Wanted wanted) {
    Path path = temporaryFiles.get();
    return exchange
        .fetch(peer, wanted, Landing.file(path).withoutSync())
        .thenApply(
            received -> {
              Arena arena = Arena.ofShared();
              try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                MemorySegment all =
                    file.map(FileChannel.MapMode.READ_ONLY, 0, received.length(), arena);
                Files.delete(path);
                return slices(all, wanted, arena::close);
              } catch (IOException e) {
                arena.close();
                throw new CompletionException(e);
              }
            });
  }

  private ManagedBuffer[] slices(MemorySegment memory, Wanted wanted, Runnable free) {
    try {
      return ReceivedBlocks.slices(
          memory, wanted.blocks().size(), exchange.budget()::released, free);
    } catch (RuntimeException e) {
      free.run();
      throw e;
    }
  }

  /** Spark deletes the file when the task ends. */
  private CompletableFuture<ManagedBuffer[]> toFile(
      ShuffleExchange.Peer peer, Wanted wanted, DownloadFileManager downloads) {
    DownloadFile target = downloads.createTempFile(transportConf);
    Path path = Path.of(target.path());
    return exchange
        .fetch(peer, wanted, Landing.file(path).withoutSync())
        .thenApply(
            received -> {
              if (!downloads.registerTempFileToClean(target)) {
                target.delete();
              }
              try {
                BlockTable table = BlockTable.of(path, wanted.blocks().size());
                ManagedBuffer[] buffers = new ManagedBuffer[wanted.blocks().size()];
                for (int i = 0; i < buffers.length; i++) {
                  buffers[i] =
                      new FileSegmentManagedBuffer(
                          transportConf, path.toFile(), table.offset(i), table.length(i));
                }
                return buffers;
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
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
    return spark.diagnoseCorruption(
        host, port, executor, shuffle, map, reduce, checksum, algorithm);
  }

  @Override
  public void getMergedBlockMeta(
      String host,
      int port,
      int shuffle,
      int merge,
      int reduce,
      MergedBlocksMetaListener listener) {
    spark.getMergedBlockMeta(host, port, shuffle, merge, reduce, listener);
  }

  @Override
  public void close() {}
}
