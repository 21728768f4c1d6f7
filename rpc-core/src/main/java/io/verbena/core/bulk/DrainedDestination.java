package io.verbena.core.bulk;

import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.link.MemoryLife;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A file or a consumer, reached through a few pooled blocks: one is granted again only when what it
 * held has been taken, so that a slow destination slows the sender down.
 */
final class DrainedDestination implements Destination {
  private static final int MOST_BLOCKS = 4;

  private final BulkHost host;
  private final Sink sink;
  private final Crc crc = new Crc();
  private final ArrayDeque<Block> free = new ArrayDeque<>();
  private final Map<LandingPiece, Block> blockOf = new HashMap<>();
  private final ArrayDeque<Storing> full = new ArrayDeque<>();
  private List<Block> claimed = List.of();
  private long length;
  private boolean checked;
  private boolean working;
  private boolean givenUp;

  private record Storing(LandingPiece piece, Consumer<Throwable> whenBroken, Runnable whenFreed) {}

  DrainedDestination(BulkHost host, Sink sink) {
    this.host = host;
    this.sink = sink;
  }

  @Override
  public long capacity() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean isQuicklyPrepared(long length) {
    return false;
  }

  @Override
  public void prepare(long length, boolean checked) throws Exception {
    this.length = length;
    this.checked = checked;
    long size = Math.clamp(length, 1, BulkMemory.CHUNK_BYTES);
    int count = (int) Math.min(MOST_BLOCKS, (length + size - 1) / size);
    BulkMemory memory = host.bulkContext().memory();
    List<Block> blocks = memory.claim(count, size);
    if (blocks == null) {
      throw StagedSupply.noMemory(memory, size * count);
    }
    boolean begun = false;
    try {
      sink.begin(length);
      begun = true;
    } finally {
      if (!begun) {
        blocks.forEach(Block::release);
      }
    }
    claimed = blocks;
    free.addAll(blocks);
  }

  @Override
  public @Nullable LandingPiece next(long offset) {
    Block block = free.poll();
    if (block == null) {
      return null;
    }
    long size = Math.min(block.memory().byteSize(), length - offset);
    LandingPiece piece = new LandingPiece(offset, block.memory().asSlice(0, size), MemoryLife.HELD);
    blockOf.put(piece, block);
    return piece;
  }

  @Override
  public @Nullable LandingPiece shorter(LandingPiece last) {
    return null; // its blocks are short
  }

  @Override
  public void takeBack(LandingPiece last) {
    free(last);
  }

  private void free(LandingPiece piece) {
    Block block = blockOf.remove(piece);
    if (block != null) {
      free.add(block);
    }
  }

  @Override
  public void filled(LandingPiece piece, Consumer<Throwable> whenBroken, Runnable whenFreed) {
    full.add(new Storing(piece, whenBroken, whenFreed));
    storeNext();
  }

  private void storeNext() {
    Storing next = full.peek();
    if (working || givenUp || next == null) {
      return;
    }
    working = true;
    LandingPiece piece = next.piece;
    OffLoop.run(
        host,
        () -> {
          if (checked) {
            crc.update(piece.memory);
          }
          sink.store(piece.memory.asReadOnly(), piece.offset);
        },
        failure -> {
          working = false;
          full.remove();
          free(piece);
          if (failure != null) {
            next.whenBroken.accept(failure);
          } else {
            next.whenFreed.run();
          }
          storeNext();
        });
  }

  @Override
  public void giveUp() {
    givenUp = true;
  }

  @Override
  public boolean isIdle() {
    return !working && (full.isEmpty() || givenUp);
  }

  @Override
  public void finish(long total, @Nullable Integer expected, Consumer<@Nullable Throwable> then) {
    working = true;
    OffLoop.run(
        host,
        () -> {
          if (expected != null) {
            MemoryDestination.requireSame(expected, crc.value());
          }
          sink.finish();
        },
        failure -> {
          working = false;
          if (failure == null) {
            claimed.forEach(Block::release);
          }
          then.accept(failure);
        });
  }

  @Override
  public Received received(long total) {
    return Arrived.elsewhere(total);
  }

  @Override
  public void discard(Runnable then) {
    claimed.forEach(Block::release);
    OffLoop.runSurely(host, sink::discard, failure -> then.run());
  }

  @Override
  public boolean isUsers() {
    return true;
  }
}
