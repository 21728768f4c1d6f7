package io.verbena.core.transfer;

import io.verbena.core.bulk.Crc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The checksums of the good blocks of a part file, kept in a second file. Only the holder of the
 * part file's lock uses it. On one thread at a time; blocks.
 *
 * <pre>
 *   8 bytes: the file type | 8: the object's length | 4 each: the CRC32C of a block of 1 MiB, in order
 * </pre>
 *
 * A block counts only if it has its checksum. So the order of writes does not matter, nor do the
 * remains of either file after a crash. The last block has no checksum, because the beginning of an
 * object is never all of it.
 */
final class PartSums {
  static final int BLOCK = 1 << 20;

  private static final long WHAT_THIS_IS = 0x5645_5242_454e_4131L; // "VERBENA1"
  private static final int HEADER = 16;

  private final Path path;
  private final long length;
  private final Crc block = new Crc();
  private @Nullable FileChannel sums;
  private long at;
  private int known;

  PartSums(Path path, long length) {
    this.path = path;
    this.length = length;
  }

  boolean isAnyKnown() {
    return known > 0;
  }

  /**
   * Reads the good blocks of an earlier transfer, up to the first block that has changed.
   *
   * @param whole adds up the good bytes
   * @return the number of good bytes
   */
  long readAgain(FileChannel part, Crc whole) throws IOException {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      return 0;
    }
    try (FileChannel before =
            FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        Arena arena = Arena.ofConfined()) {
      ByteBuffer header = ByteBuffer.allocate(HEADER);
      if (!isRead(before, header, 0)
          || header.getLong() != WHAT_THIS_IS
          || header.getLong() != length) {
        return 0;
      }
      MemorySegment bytes = arena.allocate(BLOCK);
      while (hasSum() && isGood(part, before, bytes)) {
        whole.update(bytes);
        known++;
      }
    }
    at = (long) known * BLOCK;
    return at;
  }

  private boolean hasSum() {
    return (known + 1L) * BLOCK < length;
  }

  private boolean isGood(FileChannel part, FileChannel before, MemorySegment bytes)
      throws IOException {
    ByteBuffer sum = ByteBuffer.allocate(Integer.BYTES);
    if (!isRead(before, sum, placeOf(known))
        || !isRead(part, bytes.asByteBuffer(), (long) known * BLOCK)) {
      return false;
    }
    Crc found = new Crc();
    found.update(bytes);
    return found.value() == sum.getInt();
  }

  private static long placeOf(int block) {
    return HEADER + (long) block * Integer.BYTES;
  }

  /** Fills a buffer and flips it. Returns false if there are not enough bytes. */
  private static boolean isRead(FileChannel from, ByteBuffer into, long position)
      throws IOException {
    long next = position;
    while (into.hasRemaining()) {
      int read = from.read(into, next);
      if (read < 0) {
        return false;
      }
      next += read;
    }
    into.flip();
    return true;
  }

  void stored(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      int now = (int) Math.min(bytes.remaining(), BLOCK - at % BLOCK);
      block.update(bytes.slice(bytes.position(), now));
      bytes.position(bytes.position() + now);
      at += now;
      if (at % BLOCK == 0) {
        note(block.value());
        block.reset();
      }
    }
  }

  private void note(int sum) throws IOException {
    if (!hasSum()) {
      return;
    }
    FileChannel open = sums;
    if (open == null) {
      open = open();
      sums = open;
    }
    write(open, ByteBuffer.allocate(Integer.BYTES).putInt(sum).flip(), placeOf(known));
    known++;
  }

  /** Opens the file. Checksums after the good blocks are out of date. */
  private FileChannel open() throws IOException {
    FileChannel open =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    boolean usable = false;
    try {
      open.truncate(known == 0 ? 0 : placeOf(known));
      write(open, ByteBuffer.allocate(HEADER).putLong(WHAT_THIS_IS).putLong(length).flip(), 0);
      usable = true;
      return open;
    } finally {
      if (!usable) {
        open.close();
      }
    }
  }

  private static void write(FileChannel to, ByteBuffer bytes, long position) throws IOException {
    while (bytes.hasRemaining()) {
      to.write(bytes, position + bytes.position());
    }
  }

  /** Deletes the file. The bytes belong to another object, are complete, or are of no use. */
  void delete() throws IOException {
    known = 0;
    at = 0;
    block.reset();
    close();
    Files.deleteIfExists(path);
  }

  /** Leaves the file to another transfer. */
  void close() throws IOException {
    FileChannel open = sums;
    sums = null;
    if (open != null) {
      open.close();
    }
  }
}
