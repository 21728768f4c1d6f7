package io.verbena.core.transfer;

import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.MemoryLife;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A file or a consumer, reached through a few pooled blocks: one is granted again only when what it
 * held has been taken, so that a slow destination slows the sender down. Their number and length
 * are those of {@link BufferBlocks}.
 */
final class BufferedDestination extends Destination {
  private final SessionImpl session;
  private final Sink sink;

  private final Crc crc = new Crc();
  private final ArrayDeque<Block> free = new ArrayDeque<>();
  private final Map<LandingPiece, Block> blockOf = new HashMap<>();
  private final ArrayDeque<LandingPiece> full = new ArrayDeque<>();
  private final BufferBlocks blocks;
  private long length;
  private long beginning;
  private boolean checked;
  private boolean working;
  private boolean givenUp;

  BufferedDestination(SessionImpl session, Sink sink) {
    this.session = session;
    this.sink = sink;
    this.blocks = new BufferBlocks(session.bulkContext().memory(), session.pooled());
  }

  @Override
  public void belongsTo(Runnable moves, Consumer<Throwable> broken) {
    super.belongsTo(moves, broken);
    sink.belongsTo(broken);
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
  public void prepare(long length, Checksum checksum) throws Exception {
    this.length = length;
    this.checked = checksum == Checksum.ALWAYS || (checksum == Checksum.FILES && isFile());
    List<Block> first = blocks.claimFirst(length);
    boolean begun = false;
    try {
      beginning = sink.begin(length, checked ? crc : null);
      begun = true;
    } finally {
      if (!begun) {
        blocks.release();
      }
    }
    free.addAll(first);
  }

  private boolean isFile() {
    return sink.by() == RunOn.FILES;
  }

  @Override
  public @Nullable Beginning beginning() {
    return checked && isFile() ? new Beginning(beginning, crc.value()) : null;
  }

  @Override
  public void beginAgain(Consumer<@Nullable Throwable> then) {
    working = true;
    RunOn.FILES.run(
        session,
        () -> {
          crc.reset();
          sink.beginAgain();
        },
        failure -> {
          working = false;
          then.accept(failure);
        });
  }

  @Override
  public @Nullable LandingPiece next(long offset, long most) {
    Block block = free.poll();
    if (block == null) {
      return null;
    }
    long size = Math.min(Math.min(block.memory().byteSize(), most), length - offset);
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
  public void filled(LandingPiece piece) {
    full.add(piece);
    storeNext();
  }

  private void storeNext() {
    LandingPiece piece = full.peek();
    if (working || givenUp || piece == null) {
      return;
    }
    working = true;
    sink.by()
        .run(
            session,
            () -> {
              if (checked) {
                crc.update(piece.memory());
              }
              sink.store(piece.memory().asReadOnly(), piece.offset());
              blocks.grow(length - piece.end());
            },
            failure -> {
              working = false;
              full.remove();
              free(piece);
              replaceFirst();
              if (failure != null) {
                broken(failure);
              } else {
                moves();
              }
              storeNext();
            });
  }

  /** What has come is worth longer blocks than the first. */
  private void replaceFirst() {
    List<Block> longer = blocks.takeGrown();
    if (!longer.isEmpty()) {
      free.forEach(blocks::release);
      free.clear();
      free.addAll(longer);
    }
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
    sink.by()
        .run(
            session,
            () -> {
              if (expected != null) {
                MemoryDestination.requireSame(expected, crc.value());
              }
              sink.finish();
            },
            failure -> {
              working = false;
              if (failure == null) {
                blocks.release();
              }
              then.accept(failure);
            });
  }

  @Override
  public Received received(long total) {
    return Arrived.elsewhere(total);
  }

  @Override
  public void discard(boolean keep, Runnable then) {
    blocks.release();
    RunOn.FILES.run(session, () -> sink.discard(keep), failure -> then.run());
  }

  @Override
  public boolean isUsers() {
    return true;
  }
}
