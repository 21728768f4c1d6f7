package io.verbena.core.bulk;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** A CRC32C over memory of any length. */
public final class Crc {
  private static final long MOST_AT_ONCE = 1 << 30;
  private static final int COPIED_AT_ONCE = 64 << 10;

  private final CRC32C crc = new CRC32C();

  public void update(MemorySegment memory) {
    if (memory.isMapped()) {
      updateByCopies(memory);
      return;
    }
    for (long at = 0; at < memory.byteSize(); at += MOST_AT_ONCE) {
      long length = Math.min(MOST_AT_ONCE, memory.byteSize() - at);
      crc.update(memory.asSlice(at, length).asByteBuffer());
    }
  }

  /**
   * Copies the memory first. If a mapped file has become shorter, a copy from beyond its end throws
   * an {@link InternalError}, but a checksum of the memory itself would end the process.
   */
  private void updateByCopies(MemorySegment memory) {
    byte[] copy = new byte[COPIED_AT_ONCE];
    for (long at = 0; at < memory.byteSize(); at += copy.length) {
      int length = (int) Math.min(copy.length, memory.byteSize() - at);
      MemorySegment.copy(memory, at, MemorySegment.ofArray(copy), 0, length);
      crc.update(copy, 0, length);
    }
  }

  public void update(ByteBuffer bytes) {
    crc.update(bytes);
  }

  public void reset() {
    crc.reset();
  }

  public int value() {
    return (int) crc.getValue();
  }
}
