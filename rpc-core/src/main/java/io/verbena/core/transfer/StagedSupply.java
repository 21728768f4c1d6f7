package io.verbena.core.transfer;

import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.LimitedWait;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that are read or made, block by block, before they are written. A block stays until the
 * receiver has confirmed it, so that bytes which exist only once survive the loss of a link.
 *
 * <p>A file without checksum is written by the kernel instead, if the link supports that. The loop
 * would wait for its disk then. So a file thread looks ahead: a disk that does not answer keeps
 * that thread. Files that another machine serves are always read by file threads.
 */
final class StagedSupply extends Supply {
  private static final int MOST_BLOCKS = 4;

  /** The most that is copied on the loop. Longer copies use another thread. */
  private static final int READ_AT_ONCE = 16 << 10;

  /** How far a file thread looks ahead of the kernel. */
  private static final long LOOK_AHEAD = 4 << 20;

  private final ReadAhead readAhead;
  private final OpenSource source;
  private final long length;

  /** The source, if a link may read the file itself. */
  private final OpenSource.@Nullable InFile file;

  /** The kernel may write the file up to here. */
  private long seenUpTo;

  private boolean looking;
  private final @Nullable Crc crc;
  private final ArrayDeque<Block> free = new ArrayDeque<>();
  private final ArrayDeque<Filled> filled = new ArrayDeque<>();
  private boolean begun;
  private long fillAt;
  private long summedUpTo;
  private int run;
  private boolean filling;
  private final LimitedWait wait;

  private record Filled(long start, long end, Block block, Attached attached) {}

  /**
   * Supplies a source from an offset.
   *
   * @param crc the checksum of earlier bytes, to be continued; null: none is wanted
   */
  StagedSupply(
      BulkTransfer owner, ReadAhead readAhead, OpenSource source, long from, @Nullable Crc crc) {
    super(owner);
    this.readAhead = readAhead;
    this.wait = new LimitedWait(session.loop(), owner::proceed, readAhead::movedAt);
    this.source = source;
    this.file =
        crc == null && source instanceof OpenSource.InFile plain && !plain.readBy().isRemote()
            ? plain
            : null;
    this.length = source.length();
    this.crc = crc;
    this.fillAt = from;
    this.summedUpTo = from;
  }

  @Override
  void begin(boolean ahead) {
    if (ahead && file == null && length > 0) {
      claim(false);
    }
  }

  /** Claims memory and begins to fill it, if there is room. */
  private void claim(boolean granted) {
    long size = Math.min(BulkMemory.CHUNK_BYTES, length);
    int count = (int) Math.min(MOST_BLOCKS, (length + size - 1) / size);
    List<Block> blocks;
    try {
      blocks = readAhead.claim(count, size, granted ? wait : null);
    } catch (TransferProblem e) {
      owner.broken(e);
      return;
    }
    if (blocks != null) {
      wait.end();
      begun = true;
      free.addAll(blocks);
      fillMore();
    }
  }

  private void fillMore() {
    while (!filling && fillAt < length && !isClosed() && !free.isEmpty()) {
      Block block = free.remove();
      addUser();
      long start = fillAt;
      long size = Math.min(block.memory().byteSize(), length - start);
      MemorySegment memory = block.memory().asSlice(0, size);
      int thisRun = run;
      filling = true;
      fillAt += size;
      RunOn.Work fill = () -> fill(start, memory);
      Consumer<@Nullable Throwable> then =
          failure -> filled(thisRun, start, memory, block, failure);
      if (source.readBy() == RunOn.MEMORY && size <= READ_AT_ONCE) {
        RunOn.runHere(fill, then);
      } else {
        source.readBy().run(session, fill, then);
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
    if (isClosed() || ofRun != run || failure != null) {
      free.add(block);
      removeUser();
      if (failure != null && !isClosed()) {
        owner.broken(failure);
        return;
      }
    } else {
      long end = start + memory.byteSize();
      filled.add(new Filled(start, end, block, new Attached(memory, MemoryLife.HELD)));
      owner.proceed();
    }
    fillMore();
  }

  @Override
  int ready(BulkPath path, long at, int most) {
    OpenSource.InFile plain = file;
    if (plain != null && isWrittenByLink(path)) {
      lookAhead(plain, at);
      return Math.clamp(seenUpTo - at, 0, most);
    }
    if (!begun) {
      claim(true);
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

  /**
   * Has a file thread read a byte ahead. A file that the kernel makes up, such as one in /sys, has
   * fewer bytes than its size says, and a link would wait for the rest. So the file's end is read
   * first.
   */
  private void lookAhead(OpenSource.InFile plain, long at) {
    if (looking || isClosed() || seenUpTo == length || seenUpTo - at > LOOK_AHEAD / 2) {
      return;
    }
    boolean first = seenUpTo == 0;
    long to = Math.min(length, Math.max(at, seenUpTo) + LOOK_AHEAD);
    looking = true;
    readElsewhere(
        plain.readBy(),
        () -> {
          if (first) {
            plain.requireByte(length - 1);
          }
          plain.requireByte(to - 1);
        },
        () -> {
          looking = false;
          seenUpTo = to;
          owner.proceed();
        });
  }

  @Override
  boolean hasReady(long at) {
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

  /** Continues at another offset, for example after a link wrote from the file itself. */
  private void beginAgain(long at) {
    run++;
    fillAt = at;
    filled.forEach(this::giveBack);
    filled.clear();
    fillMore();
  }

  @Override
  SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, TransferProblem {
    OpenSource.InFile from = file;
    if (from != null && isWrittenByLink(path)) {
      return writeFile(from, path, target, piece, whenOver);
    }
    Filled there = filledAt(piece.at());
    if (there == null) {
      throw new IllegalStateException("nothing is ready at " + piece.at());
    }
    return there.attached.write(path, target, piece, piece.at() - there.start, whenOver);
  }

  private boolean isWrittenByLink(BulkPath path) {
    return file != null && path.port.writesFrom(file.file().channel());
  }

  private SendResult writeFile(
      OpenSource.InFile from, BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, TransferProblem {
    requireThere(from, piece);
    BulkPath.Flight flight =
        path.fly(
            piece.length(),
            () -> {
              if (path.isClosed() && !isClosed()) {
                byte[] under = new byte[piece.length()];
                readElsewhere(
                    from.readBy(),
                    () -> from.read(piece.at(), MemorySegment.ofArray(under)),
                    () -> {});
              }
              whenOver.run();
              removeUser();
            });
    SendResult result =
        path.port.writeFile(
            target,
            piece.targetAt(),
            from.file().channel(),
            from.offset() + piece.at(),
            piece.length(),
            piece.checkpoint(),
            flight);
    if (result == SendResult.SENT) {
      addUser();
      flight.sent();
    }
    return result;
  }

  /** Checks that the file still has the bytes. A link that finds them missing is lost. */
  private static void requireThere(OpenSource.InFile from, Piece piece) throws TransferProblem {
    long end = from.offset() + piece.at() + piece.length();
    if (from.file().size() < end) {
      throw from.file().endsBefore(end - 1);
    }
  }

  @Override
  boolean waitsForConfirmation(long at) {
    for (Filled one : filled) {
      if (one.end == at) {
        return true;
      }
    }
    return false;
  }

  @Override
  void confirmed(long upTo) {
    while (!filled.isEmpty() && filled.peek().end <= upTo) {
      giveBack(filled.remove());
    }
  }

  private void giveBack(Filled one) {
    one.attached.retire(
        () -> {
          readAhead.moved();
          free.add(one.block);
          removeUser();
          fillMore();
        });
  }

  @Override
  @Nullable Integer checksum() {
    if (crc == null) {
      return 0;
    }
    return !filling && summedUpTo == length ? crc.value() : null;
  }

  @Override
  void onClose() {
    wait.end();
    ArrayDeque<Filled> left = new ArrayDeque<>(filled);
    filled.clear();
    left.forEach(this::giveBack);
  }

  @Override
  void free(Runnable then) {
    readAhead.release(free);
    free.clear();
    then.run();
  }
}
