package com.ibm.disni.util;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Stands in for DiSNI's class of this name, which needs --add-exports for sun.nio.ch. */
public final class MemoryUtils {
  private MemoryUtils() {}

  /** Where the buffer's index 0 is. */
  public static long getAddress(ByteBuffer buffer) {
    return MemorySegment.ofBuffer(buffer.duplicate().clear()).address();
  }
}
