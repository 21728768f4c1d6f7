package io.verbena.core.bulk;

import java.lang.foreign.MemorySegment;

/** What takes an object's bytes in their order. On one handler thread at a time; may block. */
interface Sink {
  /** Makes ready for an object of this length. */
  void begin(long length) throws Exception;

  /** Takes the next bytes. */
  void store(MemorySegment bytes, long offset) throws Exception;

  /** All has been taken. */
  void finish() throws Exception;

  /** No more comes, and what was taken is of no use. */
  void discard();
}
