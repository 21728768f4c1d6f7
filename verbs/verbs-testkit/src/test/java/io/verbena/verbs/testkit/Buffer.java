package io.verbena.verbs.testkit;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvMr;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Registered memory. */
public record Buffer(MemorySegment memory, IbvMr mr) {
  public long address() {
    return memory.address();
  }

  public int lkey() {
    return mr.getLkey();
  }

  public int rkey() {
    return mr.getRkey();
  }

  /** Fills it with bytes that depend on the seed. */
  public Buffer fill(long seed) {
    byte[] bytes = new byte[(int) memory.byteSize()];
    new SplittableRandom(seed).nextBytes(bytes);
    MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, 0, bytes.length);
    return this;
  }

  public byte[] bytes(long offset, long length) {
    return memory.asSlice(offset, length).toArray(JAVA_BYTE);
  }

  public byte[] bytes() {
    return bytes(0, memory.byteSize());
  }

  public long getLong(long offset) {
    return memory.get(JAVA_LONG, offset);
  }

  public void putLong(long offset, long value) {
    memory.set(JAVA_LONG, offset, value);
  }
}
