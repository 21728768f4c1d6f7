package io.verbena.codec;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Writes and reads the references to streams in the messages of a call. */
public interface MessageStreams {
  /** Writes the number of a stream that this end publishes. Any thread may call it. */
  <T> void write(WireOut out, Flow.Publisher<T> items, BiConsumer<WireOut, T> item);

  /** Reads the number of a stream that the peer publishes. Only the event loop calls it. */
  <T> Flow.Publisher<T> read(WireIn in, Function<WireIn, T> item);
}
