package io.verbena.grpc;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientStreamTracer;
import io.grpc.InternalChannelz.SocketStats;
import io.grpc.InternalLogId;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import io.grpc.internal.ClientStream;
import io.grpc.internal.ClientStreamListener.RpcProgress;
import io.grpc.internal.ClientTransportFactory.ClientTransportOptions;
import io.grpc.internal.ConnectionClientTransport;
import io.grpc.internal.DisconnectError;
import io.grpc.internal.FailingClientStream;
import io.grpc.internal.GrpcAttributes;
import io.grpc.internal.GrpcUtil;
import io.grpc.internal.SimpleDisconnectError;
import io.grpc.internal.StatsTraceContext;
import io.grpc.internal.TransportTracer;
import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.CarriedCalls;
import io.verbena.core.VerbenaClient;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A session that carries the streams of one subchannel.
 *
 * <pre>
 *   NEW ──start──→ CONNECTING ──open answered──→ READY
 *                      │                           │ shutdown, goAway, drain, loss
 *                      └────── failure ─────→ SHUT DOWN ──last stream ended──→ TERMINATED
 * </pre>
 *
 * <p>Its state belongs to the session's loop. gRPC's threads call the methods of {@link
 * ConnectionClientTransport}.
 */
final class ClientTransport implements ConnectionClientTransport {
  private final InternalLogId logId;
  private final VerbenaAddress address;
  private final VerbenaClient client;
  final GrpcChannelSettings settings;
  final String authority;
  final String userAgent;
  private final Attributes eagAttributes;
  final TransportTracer tracer = TransportTracer.getDefaultFactory().create();
  private final io.verbena.api.stub.MethodDescriptor<GrpcContract.Answer> method;

  private volatile Attributes attributes;
  private volatile @Nullable TransportFacts facts;
  private volatile @Nullable Carrier carrier;
  private volatile @Nullable Listener listener;

  /** All that gRPC has started and that have not ended. Its threads add to them. */
  private final Set<ClientStreamImpl> streams = ConcurrentHashMap.newKeySet();

  private final ArrayDeque<ClientStreamImpl> queued = new ArrayDeque<>();

  /** The streams that keep the channel from idling. */
  private int inUse;

  private int opened;
  private long lastStream;
  private int mostStreams;
  private @Nullable Status shutdown;

  /** Whether gRPC shuts down, which leaves the streams that it has started. */
  private boolean leaves;

  /** Set before all streams are ended, so that none is added unseen. */
  private volatile boolean over;

  private boolean ready;
  private boolean gone;
  private boolean terminated;

  ClientTransport(
      VerbenaAddress address,
      VerbenaClient client,
      GrpcChannelSettings settings,
      ClientTransportOptions options) {
    this.address = address;
    this.client = client;
    this.settings = settings;
    this.authority = options.getAuthority();
    this.userAgent = GrpcUtil.getGrpcUserAgent("verbena", options.getUserAgent());
    this.eagAttributes = options.getEagAttributes();
    this.logId = InternalLogId.allocate(ClientTransport.class, address.toString());
    this.method = GrpcContract.call(settings.mostMetadata());
    this.mostStreams = GrpcContract.mostStreams(client.limits());
    this.attributes =
        Attributes.newBuilder()
            .set(GrpcAttributes.ATTR_CLIENT_EAG_ATTRS, eagAttributes)
            .set(
                GrpcAttributes.ATTR_SECURITY_LEVEL,
                settings.encrypted() ? SecurityLevel.PRIVACY_AND_INTEGRITY : SecurityLevel.NONE)
            .build();
  }

  private Listener listener() {
    return Objects.requireNonNull(listener, "started");
  }

  // ---- for any thread ----

  @Override
  public @Nullable Runnable start(Listener given) {
    listener = given;
    Session session;
    try {
      session = client.sessionOfMany(address.address(), hostOf(authority));
    } catch (RuntimeException e) { // a malformed address, a missing link, a closed client
      Status why = Status.UNAVAILABLE.withDescription(String.valueOf(e.getMessage())).withCause(e);
      return () -> {
        shutdown = why;
        terminated = true;
        given.transportShutdown(why, SimpleDisconnectError.UNKNOWN);
        given.transportTerminated();
      };
    }
    Carrier carries = new Carrier(session, settings.mostMetadata(), this::broken);
    session.serve(new ServiceBinding(GrpcContract.SERVICE, carries::dispatch));
    carrier = carries;
    return () ->
        client
            .open(session)
            .whenComplete(
                (nothing, failure) ->
                    run(
                        () -> {
                          if (failure == null) {
                            greet(carries);
                          } else {
                            lost(statusOf(failure));
                          }
                        }));
  }

  private static String hostOf(String authority) {
    int colon = authority.lastIndexOf(':');
    boolean port = colon > 0 && authority.indexOf(']', colon) < 0 && colon < authority.length() - 1;
    return port ? authority.substring(0, colon) : authority;
  }

  void run(Runnable command) {
    carrier().run(command);
  }

  Carrier carrier() {
    return Objects.requireNonNull(carrier, "started");
  }

  @Override
  public Attributes getAttributes() {
    return attributes;
  }

  @Override
  public InternalLogId getLogId() {
    return logId;
  }

  @Override
  public ListenableFuture<SocketStats> getStats() {
    SettableFuture<SocketStats> stats = SettableFuture.create();
    TransportFacts known = facts == null ? new TransportFacts(address, address, null) : facts;
    if (carrier == null) {
      stats.set(known.stats(tracer.getStats(), Map.of()));
    } else {
      run(
          () ->
              stats.set(
                  known.stats(tracer.getStats(), CarriedCalls.socketOptions(carrier().session))));
    }
    return stats;
  }

  @Override
  public ClientStream newStream(
      MethodDescriptor<?, ?> called,
      Metadata headers,
      CallOptions options,
      ClientStreamTracer[] tracers) {
    StatsTraceContext stats = StatsTraceContext.newClientContext(tracers, attributes, headers);
    if (carrier == null) {
      Status why = shutdown == null ? Status.UNAVAILABLE : shutdown;
      return new FailingClientStream(why, RpcProgress.MISCARRIED, tracers);
    }
    String host = options.getAuthority() == null ? authority : options.getAuthority();
    return new ClientStreamImpl(this, called, headers, options, stats, host);
  }

  @Override
  public void ping(PingCallback callback, Executor executor) {
    run(
        () -> {
          Status closed = shutdown;
          if (closed != null && terminated) {
            executor.execute(() -> callback.onFailure(closed));
            return;
          }
          long begun = System.nanoTime();
          carrier()
              .caller
              .submit(GrpcContract.PING, out -> {})
              .whenComplete(
                  (nothing, failure) -> {
                    long nanos = System.nanoTime() - begun;
                    executor.execute(
                        () -> {
                          if (failure == null) {
                            callback.onSuccess(nanos);
                          } else {
                            callback.onFailure(statusOf(failure));
                          }
                        });
                  });
        });
  }

  @Override
  public void shutdown(Status reason) {
    if (carrier != null) {
      run(() -> leave(reason));
    }
  }

  @Override
  public void shutdownNow(Status reason) {
    if (carrier != null) {
      run(
          () -> {
            leave(reason);
            failAll(reason);
            terminateIfIdle();
          });
    }
  }

  /** Returns the status of a failed call, without the name of Verbena's method. */
  Status statusOf(Throwable failure) {
    Status closed = shutdown;
    Status status = Statuses.of(failure);
    return closed != null && status.getCode() == Status.Code.CANCELLED ? closed : status;
  }

  // ---- on the loop: the life ----

  private void greet(Carrier carries) {
    if (shutdown != null) {
      return;
    }
    GrpcContract.Opened own =
        new GrpcContract.Opened(
            GrpcContract.VERSION, GrpcContract.STREAM_WINDOW, settings.mostMetadata(), mostStreams);
    carries
        .caller
        .submit(
            GrpcContract.OPEN,
            out -> {
              own.write(out);
              out.writeString(authority);
            })
        .whenComplete(
            (peer, failure) -> {
              if (failure == null) {
                greeted(carries, peer);
              } else {
                lost(withoutModule(statusOf(failure)));
              }
            });
  }

  private static Status withoutModule(Status status) {
    return status.getCode() == Status.Code.UNIMPLEMENTED
        ? status.augmentDescription(
            "The server does not serve gRPC: build it with VerbenaServerBuilder of"
                + " io.verbena:verbena-grpc")
        : status;
  }

  private void greeted(Carrier carries, GrpcContract.Opened peer) {
    if (shutdown != null) {
      return;
    }
    if (peer.window() < 1) {
      lost(Status.INTERNAL.withDescription("the server takes no bytes of streams"));
      return;
    }
    carries.streamWindow = Math.min(peer.window(), GrpcContract.SESSION_WINDOW);
    mostStreams = Math.clamp(peer.streams(), 1, mostStreams);
    TransportFacts known = TransportFacts.of(CarriedCalls.ends(carries.session), address);
    facts = known;
    Attributes all =
        known.attributes(carries.session.path().link().equals("mem")).toBuilder()
            .set(GrpcAttributes.ATTR_CLIENT_EAG_ATTRS, eagAttributes)
            .build();
    var _ =
        CarriedCalls.stand(carries.session, carries.caller, GrpcContract.STAY)
            .whenComplete((nothing, failure) -> lost(ofLoss(failure)));
    var _ =
        CarriedCalls.stand(carries.session, carries.caller, GrpcContract.LEAVE)
            .thenRun(() -> goneAway("the server takes no new calls"));
    carries.session.listen(new Watch());
    if (shutdown == null) {
      ready = true;
      attributes = listener().filterTransport(all);
      listener().transportReady();
    }
  }

  private void broken(String why) {
    lost(Status.UNAVAILABLE.withDescription(why));
  }

  private Status ofLoss(@Nullable Throwable failure) {
    return failure == null
        ? Status.UNAVAILABLE.withDescription("the server has ended the session")
        : Status.UNAVAILABLE
            .withDescription(Statuses.of(failure).getDescription())
            .withCause(failure);
  }

  /** Hears what happens to the session. On a thread of the client. */
  private final class Watch implements SessionListener {
    @Override
    public void draining(Session session, String reason) {
      run(() -> goneAway(reason));
    }

    @Override
    public void lost(Session session, String reason) {
      if (settings.leavesLostSession(eagAttributes)) {
        run(() -> goneAway("its connection was lost and is being resumed: " + reason));
      }
    }
  }

  private void goneAway(String why) {
    shutDown(
        Status.UNAVAILABLE.withDescription(address + ": " + why),
        SimpleDisconnectError.CONNECTION_ABORTED);
  }

  private void leave(Status reason) {
    leaves |= shutdown == null;
    shutDown(reason, SimpleDisconnectError.SUBCHANNEL_SHUTDOWN);
  }

  private void shutDown(Status reason, DisconnectError error) {
    if (shutdown == null) {
      shutdown = reason;
      listener().transportShutdown(reason, error);
      if (!leaves) {
        failAll(reason, stream -> !stream.isOpen());
      }
    }
    terminateIfIdle();
  }

  /** The session is over, or has not opened. */
  private void lost(Status failure) {
    gone = true;
    Status why = failure.withDescription(address + ": " + failure.getDescription());
    shutDown(why, SimpleDisconnectError.CONNECTION_RESET);
    carrier().session.close(); // else calls that came since then wait for another peer
    // Their own calls fail by then, and know better; these are left over.
    carrier()
        .later(
            () -> {
              failAll(why);
              terminateIfIdle();
            });
  }

  private void failAll(Status why) {
    over = true;
    failAll(why, stream -> true);
  }

  private void failAll(Status why, Predicate<ClientStreamImpl> which) {
    carrier().tellAll(streams.stream().filter(which).toList(), stream -> stream.fail(why));
  }

  private void terminateIfIdle() {
    if (shutdown == null || !streams.isEmpty() || terminated) {
      return;
    }
    long wait = gone ? 0 : carrier().nanosUntilQuiet();
    if (wait > 0) {
      carrier().after(wait, this::terminateIfIdle);
    } else {
      terminated = true;
      failAll(shutdown); // in case gRPC has started one just now
      carrier().session.close();
      listener().transportTerminated();
    }
  }

  // ---- on the loop: streams ----

  /** gRPC has started a stream, which may send nothing for a long time. On any thread. */
  void started(ClientStreamImpl stream) {
    streams.add(stream);
    if (over) {
      run(() -> stream.fail(whyNot()));
    }
  }

  /** Opens a stream as soon as there is room for it. */
  void begin(ClientStreamImpl stream) {
    if (over || !ready || (shutdown != null && !leaves)) {
      stream.fail(whyNot());
      return;
    }
    if (stream.shouldBeCountedForInUse()) {
      stream.inUse = true;
      if (inUse++ == 0) {
        listener().transportInUse(true);
      }
    }
    if (!queued.isEmpty() || !open(stream)) {
      queued.add(stream);
    }
  }

  private Status whyNot() {
    return shutdown == null ? Status.UNAVAILABLE.withDescription("not connected") : shutdown;
  }

  private boolean open(ClientStreamImpl stream) {
    if (!stream.isQueued()) {
      return true; // it was cancelled
    }
    if (opened >= mostStreams) {
      return false;
    }
    opened++; // first, because callbacks may open others
    lastStream++;
    boolean done = false;
    try {
      done = stream.open(lastStream);
    } catch (RuntimeException | OutOfMemoryError e) { // metadata may have a marshaller of users
      if (stream.isQueued()) {
        opened--;
      }
      stream.refuse(Status.INTERNAL.withDescription("the call cannot be sent: " + e).withCause(e));
      return true;
    }
    if (!done) {
      opened--;
    }
    return done;
  }

  /** Makes the call of a stream. Returns null if there is no room for it now. */
  @Nullable CompletableFuture<GrpcContract.Answer> call(ArgumentWriter arguments) {
    CompletableFuture<GrpcContract.Answer> call =
        carrier().caller.submit(method, arguments).toCompletableFuture();
    if (call.isCompletedExceptionally()
        && call.exceptionNow() instanceof RpcException e
        && Carrier.isFull(e)) {
      carrier().after(1_000_000, this::openQueued);
      return null;
    }
    return call;
  }

  private void openQueued() {
    ClientStreamImpl next;
    while ((next = queued.poll()) != null) { // first, because it may end meanwhile
      if (!open(next)) {
        queued.addFirst(next);
        return;
      }
    }
  }

  /**
   * A stream has ended.
   *
   * @param was its last phase
   */
  void ended(ClientStreamImpl stream, ClientStreamImpl.Phase was) {
    streams.remove(stream);
    if (was == ClientStreamImpl.Phase.OPEN) {
      opened--;
    } else {
      queued.remove(stream);
    }
    if (stream.inUse && --inUse == 0) {
      listener().transportInUse(false);
    }
    if (!queued.isEmpty()) {
      carrier().later(this::openQueued); // after the stream's own report
    }
    if (shutdown != null) {
      carrier().later(this::terminateIfIdle); // after the stream's own report
    }
  }

  @Override
  public String toString() {
    return logId + " to " + address;
  }
}
