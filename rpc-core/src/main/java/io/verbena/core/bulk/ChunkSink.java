package io.verbena.core.bulk;

import io.verbena.api.bulk.Landing;
import java.lang.foreign.MemorySegment;

/** A consumer of the user's. */
record ChunkSink(Landing.ChunkConsumer consumer) implements Sink {
  @Override
  public void begin(long length) {}

  @Override
  public void store(MemorySegment bytes, long offset) throws Exception {
    consumer.accept(bytes, offset);
  }

  @Override
  public void finish() {}

  @Override
  public void discard() {}
}
