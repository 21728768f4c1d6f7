package io.verbena.core.bulk;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** A CRC32C over memory of any length. */
final class Crc {
  private static final long MOST_AT_ONCE = 1 << 30;

  private final CRC32C crc = new CRC32C();

  void update(MemorySegment memory) {
    for (long at = 0; at < memory.byteSize(); at += MOST_AT_ONCE) {
      long length = Math.min(MOST_AT_ONCE, memory.byteSize() - at);
      crc.update(memory.asSlice(at, length).asByteBuffer());
    }
  }

  int value() {
    return (int) crc.getValue();
  }
}
