package io.verbena.shm;

import io.verbena.link.Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The mapped file of a link. Words have the byte order of the host. The words of each end have
 * cache lines of their own:
 *
 * <pre>
 *     0  "VSHM", version | bytes of a ring | nonce (16)
 *   128  the active end:   sleeps | wants room up to
 *   256                    has consumed of the ring to it
 *   384  the passive end:  sleeps | wants room up to
 *   512                    has consumed of the ring to it
 *  4096  the ring from the active end to the passive one
 *     …  the ring from the passive end to the active one
 * </pre>
 *
 * <p>The whole file is written before it is mapped. If the system lacks memory, that write fails,
 * instead of a later access to a page.
 */
final class RingFile {
  static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  static final long HEADER_BYTES = 4096;
  private static final long MAGIC = (long) ShmOffer.MAGIC << 32 | ShmOffer.VERSION;
  private static final long RING_AT = 8;
  private static final long NONCE_AT = 16;
  private static final long ENDS_AT = 128;
  private static final long END_BYTES = 256;
  private static final long WANTS_ROOM = 8;
  private static final long CONSUMED = 128;

  final MemorySegment memory;
  final int ringBytes;
  private final Arena arena;
  private final FileChannel file;

  private RingFile(Arena arena, FileChannel file, MemorySegment memory, int ringBytes) {
    this.arena = arena;
    this.file = file;
    this.memory = memory;
    this.ringBytes = ringBytes;
  }

  static long bytes(int ringBytes) {
    return HEADER_BYTES + 2L * ringBytes;
  }

  private static RingFile map(FileChannel file, int ringBytes) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = file.map(FileChannel.MapMode.READ_WRITE, 0, bytes(ringBytes), arena);
      memory.load(); // otherwise the first write to each page would cause a fault
      return new RingFile(arena, file, memory, ringBytes);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Maps a file that a peer has made.
   *
   * @throws IOException if it was not made for this connection
   */
  static RingFile open(Path path, LinkFiles place, int ringBytes, Secret nonce) throws IOException {
    place.requireFile(path);
    FileChannel file =
        FileChannel.open(
            path,
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    try {
      if (file.size() != bytes(ringBytes)) {
        throw new IOException(
            "%s has %d bytes, not %d".formatted(path, file.size(), bytes(ringBytes)));
      }
      RingFile mapped = map(file, ringBytes);
      if (mapped.isOf(nonce)) {
        return mapped;
      }
      mapped.unmap();
      throw new IOException(path + " was not made for this connection");
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  private boolean isOf(Secret nonce) {
    Secret found =
        new Secret(
            memory.get(ValueLayout.JAVA_LONG, NONCE_AT),
            memory.get(ValueLayout.JAVA_LONG, NONCE_AT + 8));
    return memory.get(ValueLayout.JAVA_LONG, 0) == MAGIC
        && memory.get(ValueLayout.JAVA_LONG, RING_AT) == ringBytes
        && nonce.matches(found);
  }

  private static long end(boolean active) {
    return ENDS_AT + (active ? 0 : END_BYTES);
  }

  /** Returns the offset of the word by which an end says that it sleeps. */
  static long sleeps(boolean active) {
    return end(active);
  }

  /**
   * Returns the offset of the word by which an end says how far its peer must consume to wake it
   * for room.
   */
  static long wantsRoom(boolean active) {
    return end(active) + WANTS_ROOM;
  }

  /** Returns the offset of the word by which an end says how far it has consumed. */
  static long consumed(boolean active) {
    return end(active) + CONSUMED;
  }

  /** Returns the offset of an end's outgoing ring. */
  long ring(boolean ofActive) {
    return HEADER_BYTES + (ofActive ? 0 : ringBytes);
  }

  /** Returns whether the file still has its original length. */
  boolean isWhole() {
    try {
      return file.size() == bytes(ringBytes);
    } catch (IOException e) {
      return false;
    }
  }

  /** Unmaps the memory; the peer has its own mapping. */
  void unmap() {
    arena.close();
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file that is being made. It is filled in steps, so that the loop is not blocked. */
  static final class Making implements AutoCloseable {
    private static final int STEP_BYTES = 1 << 20;
    private static final ByteBuffer ZEROS = Arena.global().allocate(64 << 10).asByteBuffer();

    private final FileChannel file;
    private final int ringBytes;
    private boolean handedOver;
    private final ByteBuffer zeros = ZEROS.duplicate();

    /** Makes an empty file. */
    Making(Path path, int ringBytes) throws IOException {
      this.ringBytes = ringBytes;
      this.file =
          FileChannel.open(
              path,
              Set.of(
                  StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
              LinkFiles.OWNERS_FILE_ALONE);
    }

    /** Writes a part; returns whether the file is complete. */
    boolean fill() throws IOException {
      long size = bytes(ringBytes);
      long most = Math.min(size, file.position() + STEP_BYTES);
      while (file.position() < most) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), most - file.position()));
        file.write(zeros);
      }
      return file.position() == size;
    }

    /** Maps the file for the connection with this nonce, and hands it over. */
    RingFile map(Secret nonce) throws IOException {
      RingFile mapped = RingFile.map(file, ringBytes);
      handedOver = true;
      mapped.memory.set(ValueLayout.JAVA_LONG, 0, MAGIC);
      mapped.memory.set(ValueLayout.JAVA_LONG, RING_AT, ringBytes);
      mapped.memory.set(ValueLayout.JAVA_LONG, NONCE_AT, nonce.high());
      mapped.memory.set(ValueLayout.JAVA_LONG, NONCE_AT + 8, nonce.low());
      return mapped;
    }

    @Override
    public void close() throws IOException {
      if (!handedOver) {
        file.close();
      }
    }
  }
}
