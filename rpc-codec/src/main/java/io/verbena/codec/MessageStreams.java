package io.verbena.codec;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Says in a message of a call where the items of its streams are found. */
public interface MessageStreams {
  /** Writes a number by which the peer finds a stream of this end's. On any thread. */
  <T> void write(WireOut out, Flow.Publisher<T> items, BiConsumer<WireOut, T> item);

  /** Reads the number of a stream of the peer's. On the loop. */
  <T> Flow.Publisher<T> read(WireIn in, Function<WireIn, T> item);
}
