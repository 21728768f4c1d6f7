package io.verbena.core.transfer;

import io.verbena.api.bulk.Landing;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.RunOn;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What takes an object's bytes in their order. On one thread at a time; may block. */
interface Sink {
  /** Returns who takes them. */
  RunOn by();

  /** Who is to be told, on the loop, that its transfer has to end. On the loop. */
  default void belongsTo(Consumer<Throwable> broken) {}

  /**
   * Makes ready for an object of this length.
   *
   * @param crc sums what is there from before; null: nothing of that is wanted, nor to be kept
   * @return how many bytes of an object of this length are there from before, as they were stored
   */
  default long begin(long length, @Nullable Crc crc) throws Exception {
    return 0;
  }

  /** What is there from before is of another object. */
  default void beginAgain() throws Exception {}

  /** Takes the next bytes. */
  void store(MemorySegment bytes, long offset) throws Exception;

  /** All has been taken. */
  default void finish() throws Exception {}

  /**
   * No more comes.
   *
   * @param keep whether what was taken may be of use to another transfer
   */
  default void discard(boolean keep) {}

  /** A consumer of the user's. */
  record Chunks(Landing.ChunkConsumer consumer) implements Sink {
    @Override
    public RunOn by() {
      return RunOn.USER;
    }

    @Override
    public void store(MemorySegment bytes, long offset) throws Exception {
      consumer.accept(bytes, offset);
    }
  }
}
