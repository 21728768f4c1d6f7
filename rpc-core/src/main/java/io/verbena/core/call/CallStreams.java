package io.verbena.core.call;

import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.core.codec.MessageStreams;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The streams of one call at one of its ends: they end by its deadline. */
final class CallStreams implements MessageStreams {
  private final SessionStreams session;
  private final MethodDescriptor<?> method;
  private final long deadlineNanos;
  private @Nullable OutgoingStream<?> outgoing;

  CallStreams(SessionStreams session, MethodDescriptor<?> method, long deadlineNanos) {
    this.session = session;
    this.method = method;
    this.deadlineNanos = deadlineNanos;
  }

  @Override
  public <T> void write(WireOut out, Flow.Publisher<T> items, BiConsumer<WireOut, T> item) {
    OutgoingStream<T> stream = session.add(method, items, item);
    outgoing = stream;
    out.writeVarLong(stream.id());
  }

  @Override
  public <T> Flow.Publisher<T> read(WireIn in, Function<WireIn, T> item) {
    return session.incoming(method, in.readVarLong(), item, deadlineNanos);
  }

  /** The stream among a call's arguments ends with the call, or with the stream that it returns. */
  void endWith(PendingCall<?> call) {
    if (outgoing != null) {
      call.whenComplete(
          (result, failure) -> {
            if (result instanceof IncomingStream<?> answers) {
              answers.whenOver(this::cancel);
            } else {
              cancel();
            }
          });
    }
  }

  /** The call was not made. */
  void cancel() {
    OutgoingStream<?> stream = outgoing;
    if (stream != null) {
      stream.cancel();
    }
  }
}
