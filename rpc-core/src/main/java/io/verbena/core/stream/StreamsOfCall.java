package io.verbena.core.stream;

import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.core.call.CallStreams;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The streams of one call at one of its ends. */
final class StreamsOfCall implements CallStreams {
  private final SessionStreams session;
  private final MethodDescriptor<?> method;
  private final long deadlineNanos;
  private @Nullable OutgoingStream<?> outgoing;
  private IncomingStream.@Nullable Place incoming;

  /** Whether these are arguments of a call of this end. */
  private final boolean ofArguments;

  /**
   * Returns whether the call with these arguments was sent; null without a call. A call keeps its
   * result reachable.
   */
  private volatile @Nullable BooleanSupplier hasLeft;

  private volatile boolean answered;

  StreamsOfCall(
      SessionStreams session, MethodDescriptor<?> method, long deadlineNanos, boolean ofArguments) {
    this.session = session;
    this.ofArguments = ofArguments;
    this.method = method;
    this.deadlineNanos = deadlineNanos;
  }

  @Override
  public <T> void write(WireOut out, Flow.Publisher<T> items, BiConsumer<WireOut, T> item) {
    OutgoingStream<T> stream = session.add(method, items, item, !ofArguments, this::mayBeAskedFor);
    outgoing = stream;
    if (!ofArguments) {
      stream.awaitFirstQuestion();
    }
    out.writeVarLong(stream.id);
  }

  @Override
  public <T> Flow.Publisher<T> read(WireIn in, Function<WireIn, T> item) {
    IncomingStream<T> stream = session.incoming(method, in.readVarLong(), item, deadlineNanos);
    incoming = stream.place;
    return stream;
  }

  @Override
  public boolean failedBy(Throwable thrown) {
    IncomingStream.Place place = incoming;
    return place != null && place.hasFailedBy(thrown);
  }

  @Override
  public void endWith(CompletableFuture<?> call, BooleanSupplier hasLeft) {
    this.hasLeft = hasLeft;
    if (outgoing != null) {
      call.whenComplete(
          (result, failure) -> {
            answered = true;
            this.hasLeft = null;
            if (result instanceof IncomingStream<?> answers) {
              answers.whenOver(this::cancel);
            } else {
              cancel();
            }
          });
    }
  }

  /**
   * Returns whether the peer may request items. Streams of a call that was not sent belong to the
   * next attempt.
   */
  private boolean mayBeAskedFor() {
    BooleanSupplier left = hasLeft;
    return !ofArguments || answered || (left != null && left.getAsBoolean());
  }

  @Override
  public void cancel() {
    OutgoingStream<?> stream = outgoing;
    if (stream != null) {
      stream.cancel();
    }
  }
}
