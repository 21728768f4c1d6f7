package io.verbena.core.bulk.sink;

import io.verbena.api.bulk.Landing;
import io.verbena.core.bulk.memory.Crc;
import io.verbena.core.bulk.work.RunOn;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A consumer of the user's. */
public record ChunkSink(Landing.ChunkConsumer consumer) implements Sink {
  @Override
  public RunOn by() {
    return RunOn.USER;
  }

  @Override
  public long begin(long length, @Nullable Crc crc) {
    return 0;
  }

  @Override
  public void beginAgain() {}

  @Override
  public void store(MemorySegment bytes, long offset) throws Exception {
    consumer.accept(bytes, offset);
  }

  @Override
  public void finish() {}

  @Override
  public void discard(boolean keep) {}
}
