package io.verbena.grpc;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.internal.AbstractServerStream;
import io.grpc.internal.ReadableBuffer;
import io.grpc.internal.ReadableBuffers;
import io.grpc.internal.StatsTraceContext;
import io.grpc.internal.WritableBuffer;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.core.LateCall;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A stream at the server: one call of the session, and pieces if it is long. A short response that
 * the client wants whole travels in the answer of the call.
 *
 * <p>gRPC's threads use the methods of {@link AbstractServerStream}; everything else is on the
 * session's loop.
 */
final class ServerStreamImpl extends AbstractServerStream implements Pipe.Owner {
  private final ServerTransportImpl transport;
  private final LateCall call;
  private final Pipe pipe;
  private final @Nullable String authority;
  private final State state;
  private final Sink sink = new ToSession();
  private final Carrier.Commands commands;

  /** Whether the response is kept until it is complete. */
  private boolean whole;

  private @Nullable Metadata keptHeaders;
  private final List<Frame> kept = new ArrayList<>(1);
  private int keptBytes;
  private boolean requestOver;
  private boolean ended;

  /** What a handler did while the stream was told to it; null when the stream has begun. */
  private volatile @Nullable List<Runnable> early = new ArrayList<>(0);

  ServerStreamImpl(
      ServerTransportImpl transport,
      LateCall call,
      long id,
      boolean whole,
      @Nullable String authority,
      StatsTraceContext stats) {
    super(Frame::allocate, stats);
    this.transport = transport;
    this.commands = transport.carrier.new Commands();
    this.call = call;
    this.whole = whole;
    this.authority = authority;
    this.pipe = new Pipe(transport.carrier, id, this);
    this.state = new State(stats);
  }

  @Override
  protected State transportState() {
    return state;
  }

  @Override
  protected Sink abstractServerStreamSink() {
    return sink;
  }

  @Override
  public Attributes getAttributes() {
    return transport.attributes;
  }

  @Override
  public @Nullable String getAuthority() {
    return authority;
  }

  @Override
  public int streamId() {
    return (int) pipe.id;
  }

  // ---- gRPC's threads ----

  private void run(Runnable command) {
    commands.run(early == null ? command : () -> runOrKeep(command));
  }

  private void runOrKeep(Runnable command) {
    List<Runnable> kept = early;
    if (kept == null) {
      command.run();
    } else {
      kept.add(command);
    }
  }

  private final class ToSession implements Sink {
    @Override
    public void writeHeaders(Metadata headers, boolean flush) {
      run(() -> headers(headers));
    }

    @Override
    public void writeFrame(WritableBuffer given, boolean flush, int messages) {
      onSendingBytes(given.readableBytes());
      List<Frame> frames = NettyFrames.of(given);
      run(
          () -> {
            if (!ended) {
              transport.tracer.reportMessageSent(messages);
            }
            frames.forEach(ServerStreamImpl.this::frame);
          });
    }

    @Override
    public void writeTrailers(Metadata trailers, boolean headersSent, Status status) {
      run(() -> trailers(trailers));
    }

    @Override
    public void cancel(Status status) {
      run(() -> reset(status, RpcStatus.CANCELLED, "the server cancelled the stream"));
    }
  }

  // ---- on the loop: the request ----

  /**
   * Begins the stream, after gRPC's listener was told of it. With a direct executor the handler may
   * have answered by then.
   *
   * @param first the first bytes of the request
   * @param last whether they are all
   */
  void begin(MemorySegment first, boolean last) {
    state.allocated();
    List<Runnable> kept = Objects.requireNonNull(early);
    for (int i = 0; i < kept.size(); i++) { // they may add others
      kept.get(i).run();
    }
    early = null;
    call.onCancel(() -> transport.run(this::cancelled));
    pipe.cameAlong(first.byteSize());
    data(ReadableBuffers.wrap(first.asByteBuffer()), last);
  }

  @Override
  public void piece(GrpcContract.Piece piece) {
    data(piece.bytes(), piece.last());
  }

  private void data(ReadableBuffer bytes, boolean last) {
    if (ended || (bytes.readableBytes() == 0 && !last)) {
      bytes.close();
    } else if (requestOver) {
      bytes.close();
      broken("the client sent more after the end of its request");
    } else {
      requestOver = last;
      try {
        state.inboundDataReceived(bytes, last);
      } catch (RuntimeException e) { // an executor of users takes no more
        state.deframeFailed(e);
      }
    }
  }

  /** The client has cancelled the call, or is gone. */
  private void cancelled() {
    Status status = Status.CANCELLED.withDescription("the client cancelled the call, or is gone");
    fail(status, status);
  }

  @Override
  public void broken(String why) {
    Status status = Status.INTERNAL.withDescription(why);
    fail(status, status);
  }

  @Override
  public void lost(Status why) {
    if (ended) {
      // The client waits for the piece, and hears of nothing else.
      transport.carrier.session.close();
    } else {
      String words = String.valueOf(why.getDescription());
      reset(why, RpcStatus.valueOf(why.getCode().name()), words);
    }
  }

  // ---- on the loop: the response ----

  private void headers(Metadata headers) {
    if (ended) {
      return;
    }
    if (whole) {
      keptHeaders = headers;
    } else {
      pipe.send(headers, null, false);
    }
  }

  private void frame(Frame frame) {
    if (ended) {
      frame.free();
      return;
    }
    int bytes = frame.readableBytes();
    if (!whole) {
      pipe.send(null, frame, false);
      return;
    }
    if (keptBytes + bytes <= GrpcContract.MOST_INLINE) {
      kept.add(frame);
      keptBytes += bytes;
      sent(bytes);
      return;
    }
    whole = false;
    pipe.send(keptHeaders, null, false);
    keptHeaders = null;
    keptBytes = 0;
    for (Frame one : kept) {
      state.requeued(one.readableBytes());
      pipe.send(null, one, false);
    }
    kept.clear();
    pipe.send(null, frame, false);
  }

  private void trailers(Metadata trailers) {
    if (!ended) {
      pipe.whenSent(() -> finish(trailers));
    }
  }

  private void finish(Metadata trailers) {
    answer(trailers);
    state.complete();
  }

  private void answer(Metadata trailers) {
    Metadata headers = keptHeaders;
    byte[] bytes = keptBytes == 0 ? Frame.NONE : joined();
    int pieces = pipe.sent;
    end();
    call.answer(
        reply -> GrpcContract.Answer.write(reply.result(), headers, bytes, trailers, pieces));
  }

  private byte[] joined() {
    byte[] all = new byte[keptBytes];
    int at = 0;
    for (Frame one : kept) {
      one.bytes().get(all, at, one.readableBytes());
      at += one.readableBytes();
    }
    return all;
  }

  @Override
  public void sent(int bytes) {
    state.onSentBytes(bytes);
  }

  // ---- the end ----

  /**
   * Ends the stream before its response is complete.
   *
   * @param here what gRPC's listener learns
   * @param there what the client learns
   */
  void fail(Status here, Status there) {
    if (!ended) {
      keptHeaders = null;
      keptBytes = 0;
      answer(Statuses.trailers(there));
      state.transportReportStatus(here);
    }
  }

  /**
   * Ends the stream without trailers.
   *
   * @param here what gRPC's listener learns
   * @param there with the words, what the client learns
   */
  void reset(Status here, RpcStatus there, String words) {
    if (!ended) {
      end();
      call.answer(
          reply -> {
            throw new RpcException(there, words);
          });
      state.transportReportStatus(here);
    }
  }

  /** Ends the stream of which gRPC could not be told. */
  void refuse(RuntimeException why) {
    end();
    call.answer(
        reply -> {
          throw new RpcException(RpcStatus.INTERNAL, "the server cannot take the call: " + why);
        });
  }

  private void end() {
    ended = true;
    pipe.close();
  }

  private final class State extends TransportState {
    State(StatsTraceContext stats) {
      super(transport.server.settings.mostMessage(), stats, transport.tracer);
    }

    void allocated() {
      onStreamAllocated();
    }

    /** Bytes that seemed to be sent wait for the window again. */
    void requeued(int bytes) {
      onSendingBytes(bytes);
    }

    @Override
    public void runOnTransportThread(Runnable command) {
      commands.run(command);
    }

    @Override
    public void bytesRead(int bytes) {
      pipe.used(bytes);
    }

    @Override
    public void deframeFailed(Throwable cause) {
      Status status = Status.fromThrowable(cause);
      fail(status, status.withCause(null));
    }
  }
}
