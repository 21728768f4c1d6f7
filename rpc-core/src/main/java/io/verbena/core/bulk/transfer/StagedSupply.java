package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that are read or made, block by block, ahead of what is written. A block stays until the
 * receiver has confirmed it, so that what cannot be made twice is still there when a link is lost.
 */
final class StagedSupply implements Supply {
  private static final int MOST_BLOCKS = 4;

  /** So much is copied on the loop rather than handed to another thread. */
  private static final int READ_AT_ONCE = 16 << 10;

  private final BulkHost host;
  private final ReadAhead readAhead;
  private final OpenSource source;
  private final long length;
  private final @Nullable Crc crc;
  private final ArrayDeque<Block> free = new ArrayDeque<>();
  private final ArrayDeque<Filled> filled = new ArrayDeque<>();
  private @Nullable Owner owner;
  private boolean begun;
  private int claimed;
  private long fillAt;
  private long summedUpTo;
  private int run;
  private boolean filling;
  private boolean closed;
  private @Nullable Runnable closing;

  private record Filled(long start, long end, Block block, Attached attached) {}

  /**
   * Supplies a source from somewhere on.
   *
   * @param crc of what is before, to be gone on with; null: none is wanted
   */
  StagedSupply(ReadAhead readAhead, OpenSource source, @Nullable Crc crc, long from) {
    this.host = readAhead.host;
    this.readAhead = readAhead;
    this.source = source;
    this.length = source.length();
    this.crc = crc;
    this.fillAt = from;
    this.summedUpTo = from;
  }

  @Override
  public void begin(Owner owner, boolean ahead) {
    this.owner = owner;
    if (ahead && length > 0) {
      claim(owner, false);
    }
  }

  /** Claims memory, and begins to fill it, if there is room for that. */
  private void claim(Owner owner, boolean granted) {
    long size = Math.min(BulkMemory.CHUNK_BYTES, length);
    int count = (int) Math.min(MOST_BLOCKS, (length + size - 1) / size);
    List<Block> blocks;
    try {
      blocks = readAhead.claim(count, size, granted, owner);
    } catch (TransferProblem e) {
      owner.cannotSupply(e);
      return;
    }
    if (blocks != null) {
      begun = true;
      claimed = blocks.size();
      free.addAll(blocks);
      fillMore();
    }
  }

  private void fillMore() {
    while (!filling && fillAt < length && !closed && !free.isEmpty()) {
      Block block = free.remove();
      long start = fillAt;
      long size = Math.min(block.memory().byteSize(), length - start);
      MemorySegment memory = block.memory().asSlice(0, size);
      int thisRun = run;
      filling = true;
      fillAt += size;
      if (source.readBy() == RunOn.MEMORY && size <= READ_AT_ONCE) {
        RunOn.runHere(
            () -> fill(start, memory), failure -> filled(thisRun, start, memory, block, failure));
      } else {
        source
            .readBy()
            .run(
                host,
                () -> fill(start, memory),
                failure -> filled(thisRun, start, memory, block, failure));
      }
    }
  }

  private void fill(long start, MemorySegment memory) throws Exception {
    source.read(start, memory);
    long end = start + memory.byteSize();
    if (crc != null && end > summedUpTo) {
      crc.update(memory.asSlice(summedUpTo - start));
      summedUpTo = end;
    }
  }

  private void filled(
      int ofRun, long start, MemorySegment memory, Block block, @Nullable Throwable failure) {
    filling = false;
    if (closed || ofRun != run || failure != null) {
      free.add(block);
      freeIfClosing();
      if (failure != null && !closed && owner != null) {
        owner.cannotSupply(failure);
        return;
      }
    } else {
      long end = start + memory.byteSize();
      filled.add(new Filled(start, end, block, new Attached(memory, MemoryLife.HELD)));
      if (owner != null) {
        owner.suppliesMore();
      }
    }
    fillMore();
  }

  @Override
  public int ready(BulkPath path, long at, int most) {
    Owner hears = owner;
    if (!begun && hears != null) {
      claim(hears, true);
    }
    if (!begun) {
      return 0;
    }
    Filled there = filledAt(at);
    if (there != null) {
      return (int) Math.min(most, there.end - at);
    }
    long first = filled.isEmpty() ? fillAt : filled.peek().start;
    if ((at < first && !filling) || at > fillAt) {
      beginAgain(at);
    }
    return 0;
  }

  @Override
  public boolean hasReady(long at) {
    return filledAt(at) != null;
  }

  private @Nullable Filled filledAt(long at) {
    for (Filled one : filled) {
      if (at >= one.start && at < one.end) {
        return one;
      }
    }
    return null;
  }

  /** Goes to another place, as after a link wrote from the file by itself. */
  private void beginAgain(long at) {
    run++;
    fillAt = at;
    filled.forEach(this::giveBack);
    filled.clear();
    fillMore();
  }

  @Override
  public SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, TransferProblem {
    Filled there = filledAt(piece.at());
    if (there == null) {
      throw new IllegalStateException("nothing is ready at " + piece.at());
    }
    return there.attached.write(path, target, piece, piece.at() - there.start, whenOver);
  }

  @Override
  public boolean waitsForConfirmation(long at) {
    for (Filled one : filled) {
      if (one.end == at) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void confirmed(long upTo) {
    while (!filled.isEmpty() && filled.peek().end <= upTo) {
      giveBack(filled.remove());
    }
  }

  private void giveBack(Filled one) {
    one.attached.retire(
        () -> {
          readAhead.moved();
          free.add(one.block);
          freeIfClosing();
          fillMore();
        });
  }

  @Override
  public @Nullable Integer checksum() {
    if (crc == null) {
      return 0;
    }
    return !filling && summedUpTo == length ? crc.value() : null;
  }

  @Override
  public void close(Runnable whenFree) {
    closed = true;
    closing = whenFree;
    if (owner != null) {
      readAhead.forget(owner);
    }
    ArrayDeque<Filled> left = new ArrayDeque<>(filled);
    filled.clear();
    left.forEach(this::giveBack);
    freeIfClosing();
  }

  private void freeIfClosing() {
    Runnable then = closing;
    if (then != null && !filling && free.size() == claimed) {
      closing = null;
      claimed = -1;
      readAhead.release(free);
      free.clear();
      then.run();
    }
  }
}
