package io.verbena.grpc;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.internal.AbstractClientStream;
import io.grpc.internal.ClientStreamListener.RpcProgress;
import io.grpc.internal.GrpcUtil;
import io.grpc.internal.ReadableBuffer;
import io.grpc.internal.ReadableBuffers;
import io.grpc.internal.StatsTraceContext;
import io.grpc.internal.WritableBuffer;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.core.CarriedCalls;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A stream at the client: one call of the session, and pieces if it is long.
 *
 * <pre>
 *   NEW ──headers or first frame──→ QUEUED ──room──→ OPEN ──answer, failure, cancel──→ ENDED
 * </pre>
 *
 * <p>gRPC's threads use the methods of {@link AbstractClientStream}; everything else is on the
 * session's loop.
 */
final class ClientStreamImpl extends AbstractClientStream implements Pipe.Owner {
  enum Phase {
    NEW,
    QUEUED,
    OPEN,
    ENDED
  }

  private record Unsent(Frame frame, boolean last) {}

  private final ClientTransport transport;
  private final MethodDescriptor<?, ?> method;
  private final StatsTraceContext stats;
  private final State state;
  private final Sink sink = new ToSession();
  private final Carrier.Commands commands;

  private String authority;
  private volatile @Nullable Metadata headers;

  private Phase phase = Phase.NEW;

  /** Whether the transport counts it as in use. */
  boolean inUse;

  private final ArrayDeque<Unsent> unsent = new ArrayDeque<>(1);
  private @Nullable Pipe pipe;
  private @Nullable CompletableFuture<GrpcContract.Answer> call;
  private boolean hasHeaders;

  /** What gRPC did before the only message of the call was complete; null from then on. */
  private @Nullable List<Runnable> early;

  /** Done when the stream has ended; null if nobody waits for it. */
  private final @Nullable CompletableFuture<@Nullable Void> over;

  ClientStreamImpl(
      ClientTransport transport,
      MethodDescriptor<?, ?> method,
      Metadata headers,
      CallOptions options,
      StatsTraceContext stats,
      String authority) {
    super(Frame::allocate, stats, transport.tracer, headers, options, false);
    this.transport = transport;
    this.commands = transport.carrier().new Commands();
    this.method = method;
    this.stats = stats;
    this.authority = authority;
    this.state = new State(stats, options);
    this.early = method.getType().clientSendsOneMessage() ? new ArrayList<>(4) : null;
    Executor executor = options.getExecutor();
    boolean blocking =
        executor != null
            && method.getType() == MethodDescriptor.MethodType.UNARY
            && executor.getClass().getName().endsWith("ThreadlessExecutor");
    this.over = blocking ? new CompletableFuture<>() : null;
  }

  @Override
  public void setAuthority(String authority) {
    this.authority = Objects.requireNonNull(authority);
  }

  @Override
  public Attributes getAttributes() {
    return transport.getAttributes();
  }

  @Override
  protected State transportState() {
    return state;
  }

  @Override
  protected Sink abstractClientStreamSink() {
    return sink;
  }

  // ---- gRPC's threads ----

  private final class ToSession implements Sink {
    @Override
    public void writeHeaders(Metadata given, byte @Nullable [] payload) {
      given.discardAll(GrpcUtil.USER_AGENT_KEY);
      given.put(GrpcUtil.USER_AGENT_KEY, transport.userAgent);
      headers = given;
      transport.started(ClientStreamImpl.this);
      if (!method.getType().clientSendsOneMessage()) {
        commands.run(ClientStreamImpl.this::begin);
      }
    }

    @Override
    public void writeFrame(
        @Nullable WritableBuffer given, boolean last, boolean flush, int messages) {
      List<Frame> frames = given == null ? List.of(Frame.allocate(0)) : NettyFrames.of(given);
      for (int i = 0; i < frames.size(); i++) {
        boolean isFirst = i == 0;
        writeFrame(frames.get(i), last && i == frames.size() - 1, isFirst ? messages : 0);
      }
    }

    private void writeFrame(Frame frame, boolean last, int messages) {
      onSendingBytes(frame.readableBytes());
      Runnable write = () -> write(frame, last, messages);
      if (last || !isShort(frame)) {
        runAll(write, last && isShort(frame));
      } else {
        run(write);
      }
    }

    @Override
    public void cancel(Status status) {
      runAll(() -> abandon(status), false);
    }
  }

  /** Runs a command on the loop, with the one that completes the only message. */
  private void run(Runnable command) {
    synchronized (sink) {
      if (early != null) {
        early.add(command);
        return;
      }
    }
    commands.run(command);
  }

  /**
   * Runs what was kept, and a command. A caller that waits steps the loop.
   *
   * @param whole whether the request is complete and short
   */
  private void runAll(Runnable command, boolean whole) {
    List<Runnable> all;
    synchronized (sink) {
      all = early;
      early = null;
    }
    Runnable together = command;
    if (all != null) {
      all.add(command);
      together = () -> all.forEach(Runnable::run);
    }
    if (!whole
        || all == null
        || over == null
        || !CarriedCalls.drive(transport.carrier().session, together, over)) {
      commands.run(together);
    }
  }

  // ---- sending ----

  private void begin() {
    if (phase == Phase.NEW) {
      phase = Phase.QUEUED;
      transport.begin(this);
    }
  }

  private void write(Frame frame, boolean last, int messages) {
    if (phase == Phase.ENDED) {
      frame.free();
      return;
    }
    if (messages > 0) {
      getTransportTracer().reportMessageSent(messages);
    }
    if (phase == Phase.OPEN) {
      Objects.requireNonNull(pipe).send(null, frame, last);
      return;
    }
    if (last && frame.readableBytes() == 0 && !unsent.isEmpty()) {
      unsent.add(new Unsent(unsent.removeLast().frame, true));
    } else {
      unsent.add(new Unsent(frame, last));
    }
    // gRPC flushes the only message of a call before it ends the request.
    if (last || !method.getType().clientSendsOneMessage() || !isShort(frame)) {
      begin();
    }
  }

  private static boolean isShort(Frame frame) {
    return frame.readableBytes() <= GrpcContract.MOST_INLINE;
  }

  /**
   * Makes the call of the session. Returns false if the session has no room for it now.
   *
   * @param id of the stream
   */
  boolean open(long id) {
    Unsent first = unsent.peek();
    boolean inline = first != null && isShort(first.frame);
    byte[][] sentHeaders = InternalMetadata.serialize(Objects.requireNonNull(headers));
    int bytes = method.getFullMethodName().length() + authority.length();
    bytes += inline ? Objects.requireNonNull(first).frame.readableBytes() : 0;
    for (byte[] part : sentHeaders) {
      bytes += part.length;
    }
    boolean late = CarriedCalls.mayBeginLate(transport.carrier().session, bytes);
    CompletableFuture<GrpcContract.Answer> begun =
        transport.call(arguments(id, late, sentHeaders, inline ? first : null));
    if (begun == null) {
      return false;
    }
    phase = Phase.OPEN;
    if (inline) {
      unsent.remove(); // now, because gRPC may end the stream when it hears that it is ready
    }
    call = begun;
    Pipe carrying = new Pipe(transport.carrier(), id, this);
    pipe = carrying;
    if (late) {
      carrying.hold();
    }
    stats.clientOutboundHeaders();
    getTransportTracer().reportLocalStreamStarted();
    state.allocated();
    if (inline) {
      sent(Objects.requireNonNull(first).frame.readableBytes());
    }
    Unsent next;
    while ((next = unsent.poll()) != null) {
      carrying.send(null, next.frame, next.last);
    }
    begun.whenComplete(this::answered);
    return true;
  }

  private ArgumentWriter arguments(long id, boolean late, byte[][] sent, @Nullable Unsent first) {
    boolean ownAuthority = !authority.equals(transport.authority);
    int flags =
        (first != null && first.last ? GrpcContract.LAST : 0)
            | (method.getType().serverSendsOneMessage() ? GrpcContract.WHOLE : 0)
            | (ownAuthority ? GrpcContract.AUTHORITY : 0)
            | (late ? GrpcContract.LATE : 0);
    return out -> {
      out.writeVarLong(id);
      out.writeByte(flags);
      out.writeString(method.getFullMethodName());
      if (ownAuthority) {
        out.writeString(authority);
      }
      Block.write(out, sent);
      out.writeBuffer(first == null ? ByteBuffer.wrap(Frame.NONE) : first.frame.bytes());
    };
  }

  @Override
  public void sent(int bytes) {
    state.onSentBytes(bytes);
  }

  // ---- receiving ----

  @Override
  public void piece(GrpcContract.Piece piece) {
    if (piece.headers() != null) {
      headers(piece.headers());
    }
    data(piece.bytes());
  }

  private void headers(Block block) {
    Metadata metadata = block.metadata();
    if (phase == Phase.ENDED) {
      return;
    }
    if (hasHeaders) {
      broken("the server sent headers twice");
    } else if (metadata == null) {
      refuse(block.tooLarge("Response header", transport.settings.mostMetadata()));
    } else {
      hasHeaders = true;
      state.inboundHeadersReceived(metadata);
    }
  }

  private void data(ReadableBuffer bytes) {
    if (phase == Phase.ENDED || bytes.readableBytes() == 0) {
      bytes.close();
    } else if (hasHeaders) {
      state.inboundDataReceived(bytes);
    } else {
      bytes.close();
      broken("the server sent a message before its headers");
    }
  }

  private void answered(GrpcContract.@Nullable Answer answer, @Nullable Throwable failure) {
    call = null; // there is nothing to cancel
    if (phase == Phase.ENDED) {
      return;
    }
    if (answer == null) {
      Throwable why = Objects.requireNonNull(failure);
      report(transport.statusOf(why), Statuses.progressOf(why), false);
    } else {
      Objects.requireNonNull(pipe).inTurn(answer.pieces(), () -> finish(answer));
    }
  }

  private void finish(GrpcContract.Answer answer) {
    Block block = answer.headers();
    if (block != null) {
      headers(block);
    }
    if (answer.bytes().byteSize() > 0) {
      Objects.requireNonNull(pipe).cameAlong(answer.bytes().byteSize());
      data(ReadableBuffers.wrap(answer.bytes().asByteBuffer()));
    }
    if (phase == Phase.ENDED) {
      return;
    }
    Block last = answer.trailers();
    Metadata trailers = last == null ? new Metadata() : last.metadata();
    if (trailers == null) {
      Block tooLarge = Objects.requireNonNull(last);
      refuse(tooLarge.tooLarge("Response trailer", transport.settings.mostMetadata()));
      return;
    }
    Status status = last == null ? Status.OK : Statuses.takeFrom(trailers);
    end();
    state.inboundTrailersReceived(trailers, status);
  }

  @Override
  public void broken(String why) {
    refuse(Status.INTERNAL.withDescription(why));
  }

  @Override
  public void lost(Status why) {
    refuse(why);
  }

  /** Ends the stream for good: gRPC does not make the call again by itself. */
  void refuse(Status status) {
    if (phase != Phase.ENDED) {
      report(status, RpcProgress.PROCESSED, true);
    }
  }

  // ---- the end ----

  /**
   * Ends the stream, with the messages that nobody has asked for yet. They may be there after the
   * server has ended the stream, and gRPC may never ask for them once it has cancelled a call.
   */
  private void abandon(Status status) {
    if (phase == Phase.ENDED) {
      state.transportReportStatus(status, RpcProgress.PROCESSED, true, new Metadata());
    } else {
      refuse(status);
    }
  }

  boolean isQueued() {
    return phase == Phase.QUEUED;
  }

  boolean isOpen() {
    return phase == Phase.OPEN;
  }

  /**
   * Ends the stream at this end, and at the server. gRPC may make a call again that was not open.
   */
  void fail(Status status) {
    if (phase != Phase.ENDED) {
      report(status, isOpen() ? RpcProgress.PROCESSED : RpcProgress.MISCARRIED, true);
    }
  }

  private void report(Status status, RpcProgress progress, boolean stopsDelivery) {
    end();
    state.transportReportStatus(status, progress, stopsDelivery, new Metadata());
  }

  private void end() {
    Phase was = phase;
    phase = Phase.ENDED;
    unsent.forEach(one -> one.frame.free());
    unsent.clear();
    if (pipe != null) {
      pipe.close();
    }
    if (call != null) {
      call.cancel(true);
    }
    transport.ended(this, was);
    if (over != null) {
      over.complete(null);
    }
  }

  private final class State extends TransportState {
    State(StatsTraceContext stats, CallOptions options) {
      super(transport.settings.mostMessage(), stats, transport.tracer, options);
    }

    void allocated() {
      onStreamAllocated();
    }

    // gRPC's own, for this stream.

    @Override
    protected void inboundHeadersReceived(Metadata metadata) {
      super.inboundHeadersReceived(metadata);
    }

    @Override
    protected void inboundDataReceived(ReadableBuffer buffer) {
      super.inboundDataReceived(buffer);
    }

    @Override
    protected void inboundTrailersReceived(Metadata trailers, Status status) {
      super.inboundTrailersReceived(trailers, status);
    }

    @Override
    public void runOnTransportThread(Runnable command) {
      run(command);
    }

    @Override
    public void bytesRead(int bytes) {
      if (pipe != null) {
        pipe.used(bytes);
      }
    }

    @Override
    public void deframeFailed(Throwable cause) {
      abandon(Status.fromThrowable(cause));
    }
  }
}
