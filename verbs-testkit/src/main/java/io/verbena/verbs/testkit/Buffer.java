package io.verbena.verbs.testkit;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvMr;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Registered memory. */
record Buffer(MemorySegment memory, IbvMr mr) {
  long address() {
    return memory.address();
  }

  int lkey() {
    return mr.getLkey();
  }

  int rkey() {
    return mr.getRkey();
  }

  /** Fills it with bytes that depend on the seed. */
  Buffer fill(long seed) {
    byte[] bytes = new byte[(int) memory.byteSize()];
    new SplittableRandom(seed).nextBytes(bytes);
    MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, 0, bytes.length);
    return this;
  }

  byte[] bytes(long offset, long length) {
    return memory.asSlice(offset, length).toArray(JAVA_BYTE);
  }

  byte[] bytes() {
    return bytes(0, memory.byteSize());
  }

  long getLong(long offset) {
    return memory.get(JAVA_LONG, offset);
  }

  void putLong(long offset, long value) {
    memory.set(JAVA_LONG, offset, value);
  }
}
