package io.verbena.grpc;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.grpc.Attributes;
import io.grpc.InternalChannelz.SocketStats;
import io.grpc.InternalLogId;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.internal.ServerTransport;
import io.grpc.internal.ServerTransportListener;
import io.grpc.internal.StatsTraceContext;
import io.grpc.internal.TransportTracer;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.wire.WireIn;
import io.verbena.core.CarriedCalls;
import io.verbena.core.LateCall;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * A session that carries the streams of one client. Its state belongs to the session's loop.
 *
 * <p>It ends with its session. A shutdown tells the client, which closes the session after its last
 * stream.
 */
final class ServerTransportImpl implements ServerTransport {
  private static final long MOST_PATH = 8 << 10;

  private final InternalLogId logId;
  final InternalServerImpl server;
  final Carrier carrier;
  private final TransportFacts facts;
  private final String authority;
  final TransportTracer tracer = TransportTracer.getDefaultFactory().create();

  private @Nullable ServerTransportListener listener;
  volatile Attributes attributes = Attributes.EMPTY;

  /** The client's question when to leave; null if it was answered. */
  private @Nullable LateCall leave;

  private boolean draining;
  private boolean terminated;

  ServerTransportImpl(InternalServerImpl server, Session session, String authority) {
    this.server = server;
    this.authority = authority;
    this.carrier = new Carrier(session, server.settings.mostMetadata(), why -> session.close());
    this.facts = TransportFacts.of(CarriedCalls.ends(session), server.address());
    this.logId = InternalLogId.allocate(ServerTransportImpl.class, facts.remote().toString());
  }

  /** Tells gRPC of this transport. */
  void begin(ServerTransportListener given, boolean withinProcess) {
    listener = given;
    attributes = given.transportReady(facts.attributes(withinProcess));
    carrier.session.listen(
        new SessionListener() {
          @Override
          public void ended(Session session, RpcStatus status, String reason) {
            run(ServerTransportImpl.this::over);
          }
        });
  }

  void run(Runnable command) {
    carrier.run(command);
  }

  @Override
  public InternalLogId getLogId() {
    return logId;
  }

  @Override
  public ListenableFuture<SocketStats> getStats() {
    SettableFuture<SocketStats> stats = SettableFuture.create();
    run(
        () ->
            stats.set(facts.stats(tracer.getStats(), CarriedCalls.socketOptions(carrier.session))));
    return stats;
  }

  @Override
  public ScheduledExecutorService getScheduledExecutorService() {
    return server.timer();
  }

  @Override
  public void shutdown() {
    run(
        () -> {
          draining = true;
          sendAway();
        });
  }

  /** Tells the client that no new streams are taken, once. */
  private void sendAway() {
    LateCall asked = leave;
    if (asked != null) {
      leave = null;
      asked.answer(reply -> {});
    }
  }

  @Override
  public void shutdownNow(Status reason) {
    run(
        () -> {
          draining = true;
          carrier.tellAll(
              carrier.streams(),
              stream ->
                  ((ServerStreamImpl) stream)
                      .reset(reason, RpcStatus.UNAVAILABLE, "the server is shutting down"));
          carrier.session.close();
        });
  }

  // ---- calls of the client ----

  /** Takes a call. On the thread of the dispatcher. */
  void dispatch(MethodDescriptor<?> method, WireIn in, IncomingCall call) {
    if (method.id() == GrpcContract.STAY.id()) {
      LateCall stay = CarriedCalls.late(call); // without an answer until the session ends
      stay.onCancel(() -> stay.answer(reply -> {})); // a cancelled call is answered, too
    } else if (method.id() == GrpcContract.LEAVE.id()) {
      LateCall late = CarriedCalls.late(call);
      run(() -> asksWhenToLeave(late));
    } else if (method.id() == GrpcContract.PING.id()) {
      call.handle(reply -> {});
    } else if (method.id() == GrpcContract.PIECE.id() || method.id() == GrpcContract.CREDIT.id()) {
      carrier.dispatch(method, in, call);
    } else {
      begin(in, call);
    }
  }

  private void asksWhenToLeave(LateCall late) {
    LateCall before = leave;
    leave = late;
    if (before != null) {
      before.answer(reply -> {});
    }
    late.onCancel(() -> run(this::sendAway)); // a cancelled call is answered, too
    if (draining) {
      sendAway();
    }
  }

  private void begin(WireIn in, IncomingCall call) {
    long id = in.readVarLong();
    int flags = in.readByte();
    String path = in.readString();
    String host = (flags & GrpcContract.AUTHORITY) == 0 ? authority : in.readString();
    Block headers = Block.read(in, server.settings.mostMetadata());
    MemorySegment first = in.readSegment();
    LateCall late = CarriedCalls.late(call);
    run(
        () -> {
          RpcException refusal = refusal(id, path);
          if (refusal != null) {
            late.answer(
                reply -> {
                  throw refusal;
                });
            return;
          }
          Metadata metadata = headers.metadata();
          if (metadata == null) {
            Status tooLarge = headers.tooLarge("Request", server.settings.mostMetadata());
            late.answer(
                reply ->
                    GrpcContract.Answer.write(
                        reply.result(), null, Frame.NONE, Statuses.trailers(tooLarge), 0));
            return;
          }
          begin(late, id, flags, path, host, metadata, first);
        });
  }

  private @Nullable RpcException refusal(long id, String path) {
    if (draining || terminated) {
      return new RpcException(RpcStatus.UNAVAILABLE, "the server is shutting down").notExecuted();
    }
    if (carrier.has(id) || path.length() > MOST_PATH) {
      return new RpcException(
          RpcStatus.PROTOCOL_ERROR,
          "stream %d, which may be there, path of %d characters".formatted(id, path.length()));
    }
    return null;
  }

  private void begin(
      LateCall late,
      long id,
      int flags,
      String path,
      String host,
      Metadata metadata,
      MemorySegment first) {
    StatsTraceContext stats =
        StatsTraceContext.newServerContext(server.settings.tracers(), path, metadata);
    ServerStreamImpl stream =
        new ServerStreamImpl(this, late, id, (flags & GrpcContract.WHOLE) != 0, host, stats);
    try {
      Objects.requireNonNull(listener).streamCreated(stream, path, metadata);
    } catch (RuntimeException e) { // an executor of users takes no more
      stream.refuse(e);
      return;
    }
    stream.begin(first, (flags & GrpcContract.LAST) != 0);
    if ((flags & GrpcContract.LATE) != 0) {
      carrier.begun(id);
    }
  }

  @Override
  public String toString() {
    return logId.toString();
  }

  /** The session is over, and its streams were cancelled. */
  private void over() {
    if (!terminated) {
      terminated = true;
      server.ended(this, carrier.session, Objects.requireNonNull(listener));
    }
  }
}
