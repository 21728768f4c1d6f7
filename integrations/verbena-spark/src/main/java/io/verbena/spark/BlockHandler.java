package io.verbena.spark;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;

/** Serves the shuffle blocks of an executor, and no other block. Safe for use by any thread. */
final class BlockHandler implements ShuffleBlocks {
  /** From this length on a block is sent by the kernel, where the link can. */
  private static final long OWN_PIECE_BYTES = 256 << 10;

  private final Supplier<String> application;
  private final String executor;
  private final Function<BlockId, ManagedBuffer> blocks;

  /**
   * @param application the application's id, which the driver of a local cluster learns late
   * @param blocks finds a block, each with a reference; throws if there is none
   */
  BlockHandler(
      Supplier<String> application, String executor, Function<BlockId, ManagedBuffer> blocks) {
    this.application = application;
    this.executor = executor;
    this.blocks = blocks;
  }

  @Override
  public Received fetch(Wanted wanted, Landing into) {
    if (!wanted.application().equals(application.get()) || !wanted.executor().equals(executor)) {
      throw new RpcException(
          RpcStatus.UNAVAILABLE,
          "this is executor "
              + executor
              + " of application "
              + application.get()
              + ", not "
              + wanted.executor()
              + " of "
              + wanted.application());
    }
    List<ManagedBuffer> buffers = new ArrayList<>(wanted.blocks().size());
    try {
      ByteBuffer lengths = ByteBuffer.allocate(Math.multiplyExact(8, wanted.blocks().size()));
      for (String name : wanted.blocks()) {
        ManagedBuffer buffer = blocks.apply(shuffleBlock(name));
        buffers.add(buffer);
        lengths.putLong(buffer.size());
      }
      return Received.from(
          Source.gathered(pieces(lengths.array(), buffers)),
          () -> buffers.forEach(ManagedBuffer::release));
    } catch (RuntimeException e) {
      buffers.forEach(ManagedBuffer::release);
      throw e instanceof RpcException told
          ? told
          : new RpcException(
              RpcStatus.INTERNAL, "executor " + executor + " cannot read its blocks: " + e);
    }
  }

  /** Other blocks, such as cached partitions and broadcasts, stay Spark's to serve. */
  private static BlockId shuffleBlock(String name) {
    BlockId id;
    try {
      id = BlockId.apply(name);
    } catch (RuntimeException e) {
      throw new RpcException(RpcStatus.INVALID_ARGUMENT, "no name of a block: " + name);
    }
    if (!(id instanceof ShuffleBlockId || id instanceof ShuffleBlockBatchId)) {
      throw new RpcException(RpcStatus.PERMISSION_DENIED, "not a shuffle block: " + name);
    }
    return id;
  }

  /** Returns the table, then long blocks as files, and each run of short ones as one piece. */
  private static Source[] pieces(byte[] table, List<ManagedBuffer> buffers) {
    List<Source> pieces = new ArrayList<>();
    pieces.add(Source.of(table));
    List<ManagedBuffer> run = new ArrayList<>();
    for (ManagedBuffer buffer : buffers) {
      if (buffer instanceof FileSegmentManagedBuffer segment
          && segment.getLength() >= OWN_PIECE_BYTES) {
        addRun(run, pieces);
        pieces.add(
            Source.file(segment.getFile().toPath(), segment.getOffset(), segment.getLength()));
      } else if (buffer.size() > 0) {
        run.add(buffer);
      }
    }
    addRun(run, pieces);
    return pieces.toArray(Source[]::new);
  }

  private static void addRun(List<ManagedBuffer> run, List<Source> pieces) {
    if (!run.isEmpty()) {
      BlockRun blocks = new BlockRun(List.copyOf(run));
      pieces.add(Source.generator(blocks.length(), blocks));
      run.clear();
    }
  }
}
