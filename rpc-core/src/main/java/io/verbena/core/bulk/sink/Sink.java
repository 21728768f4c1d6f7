package io.verbena.core.bulk.sink;

import io.verbena.core.bulk.memory.Crc;
import io.verbena.core.bulk.work.RunOn;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What takes an object's bytes in their order. On one thread at a time; may block. */
public interface Sink {
  /** Returns who takes them. */
  RunOn by();

  /**
   * Makes ready for an object of this length.
   *
   * @param crc sums what is there from before; null: nothing of that is wanted, nor to be kept
   * @return how many bytes of an object of this length are there from before, as they were stored
   */
  long begin(long length, @Nullable Crc crc) throws Exception;

  /** What is there from before is of another object. */
  void beginAgain() throws Exception;

  /** Takes the next bytes. */
  void store(MemorySegment bytes, long offset) throws Exception;

  /** All has been taken. */
  void finish() throws Exception;

  /**
   * No more comes.
   *
   * @param keep whether what was taken may be of use to another transfer
   */
  void discard(boolean keep);
}
