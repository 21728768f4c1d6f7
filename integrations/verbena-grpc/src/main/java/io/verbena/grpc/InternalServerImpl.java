package io.verbena.grpc;

import io.grpc.InternalChannelz.SocketStats;
import io.grpc.InternalInstrumented;
import io.grpc.internal.GrpcUtil;
import io.grpc.internal.InternalServer;
import io.grpc.internal.ServerListener;
import io.grpc.internal.ServerTransport;
import io.grpc.internal.ServerTransportListener;
import io.grpc.internal.SharedResourceHolder;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.wire.WireIn;
import io.verbena.core.CarriedCalls;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.OwnThreads;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server of Verbena under a server of gRPC. Both kinds of services use its port. Safe for use
 * by any thread.
 */
final class InternalServerImpl implements InternalServer {
  private static final Logger LOG = LoggerFactory.getLogger(InternalServerImpl.class);
  private static final long CLOSE_SECONDS = 5;

  private final VerbenaServer.Builder builder;
  final GrpcServerSettings settings;
  private final Map<Session, ServerTransportImpl> transports = new ConcurrentHashMap<>();

  private final Http2Gateway http2;
  private boolean registered;

  private @Nullable ServerListener listener;
  private volatile @Nullable VerbenaServer server;
  private volatile @Nullable ScheduledExecutorService timer;
  private volatile SocketAddress address;

  /** Guards the end: no transport begins after it, and the last one to end closes the server. */
  private final Object lock = new Object();

  private int open;
  private boolean shutdown;
  private boolean closing;

  InternalServerImpl(
      VerbenaServer.Builder builder,
      SocketAddress address,
      GrpcServerSettings settings,
      Http2Gateway http2) {
    this.builder = builder;
    this.address = address;
    this.settings = settings;
    this.http2 = http2;
  }

  ScheduledExecutorService timer() {
    return Objects.requireNonNull(timer, "started");
  }

  SocketAddress address() {
    return address;
  }

  @Override
  public void start(ServerListener given) throws IOException {
    listener = given;
    timer = SharedResourceHolder.get(GrpcUtil.TIMER_SERVICE);
    if (settings.relay() != null) {
      settings.relay().begin();
    }
    boolean started = false;
    try {
      if (!registered) { // a start that failed can be repeated
        registered = true;
        builder.serve(new ServiceBinding(GrpcContract.SERVICE, this::dispatch));
        http2.serves(this);
      }
      VerbenaServer begun = builder.start();
      try {
        settings.whenStarted().accept(begun);
      } catch (RuntimeException e) {
        begun.close();
        throw e;
      }
      server = begun;
      address = VerbenaAddress.shown(begun.address().toString());
      started = true;
    } catch (IllegalStateException e) {
      throw new IOException(e.getMessage(), e);
    } finally {
      if (!started) {
        releaseThreads();
      }
    }
  }

  private void releaseThreads() {
    ScheduledExecutorService used = timer;
    if (used != null) {
      timer = SharedResourceHolder.release(GrpcUtil.TIMER_SERVICE, used);
      if (settings.relay() != null) {
        settings.relay().end();
      }
    }
  }

  @Override
  public SocketAddress getListenSocketAddress() {
    return address;
  }

  @Override
  public List<? extends SocketAddress> getListenSocketAddresses() {
    return List.of(address);
  }

  @Override
  public @Nullable InternalInstrumented<SocketStats> getListenSocketStats() {
    return null;
  }

  @Override
  public @Nullable List<InternalInstrumented<SocketStats>> getListenSocketStatsList() {
    return null;
  }

  // ---- clients, on the loops ----

  private void dispatch(MethodDescriptor<?> method, WireIn in, IncomingCall call) {
    Session session = CarriedCalls.session(call);
    if (method.id() == GrpcContract.OPEN.id()) {
      GrpcContract.Opened client = GrpcContract.Opened.read(in);
      String authority = in.readString();
      call.handle(reply -> greet(session, client, authority).write(reply.result()));
      return;
    }
    ServerTransportImpl transport = transports.get(session);
    if (transport == null) {
      call.handle(
          reply -> {
            throw new RpcException(RpcStatus.PROTOCOL_ERROR, "a call of gRPC before open");
          });
      return;
    }
    transport.dispatch(method, in, call);
  }

  private GrpcContract.Opened greet(Session session, GrpcContract.Opened client, String authority) {
    if (client.window() < 1) {
      throw new RpcException(RpcStatus.INVALID_ARGUMENT, "the client takes no bytes of streams");
    }
    if (transports.containsKey(session)) {
      throw new RpcException(RpcStatus.PROTOCOL_ERROR, "the session is open already");
    }
    ServerTransportImpl transport = new ServerTransportImpl(this, session, authority);
    ServerTransportListener told = begun(transport);
    if (told == null) {
      throw new RpcException(RpcStatus.UNAVAILABLE, "the server is shutting down").notExecuted();
    }
    transport.carrier.streamWindow = Math.min(client.window(), GrpcContract.SESSION_WINDOW);
    transports.put(session, transport);
    try {
      transport.begin(told, session.path().link().equals("mem"));
    } catch (RuntimeException e) { // a filter of users
      ended(transport, session, told);
      throw e;
    }
    return new GrpcContract.Opened(
        GrpcContract.VERSION,
        GrpcContract.STREAM_WINDOW,
        settings.mostMetadata(),
        settings.mostStreams());
  }

  /** Tells gRPC of a transport. Returns null if the server was shut down. */
  @Nullable ServerTransportListener begun(ServerTransport transport) {
    synchronized (lock) {
      if (shutdown) {
        return null;
      }
      open++;
    }
    return Objects.requireNonNull(listener, "started").transportCreated(transport);
  }

  /** A transport is over. The last one of a server that was shut down closes it first. */
  void ended(
      ServerTransportImpl transport, Session session, ServerTransportListener transportListener) {
    transports.remove(session, transport);
    ended(transportListener);
  }

  void ended(ServerTransportListener transportListener) {
    boolean last;
    synchronized (lock) {
      open--;
      last = shutdown && open == 0;
    }
    if (last) {
      close(transportListener::transportTerminated);
    } else {
      transportListener.transportTerminated();
    }
  }

  // ---- the end ----

  @Override
  public void shutdown() {
    VerbenaServer running = server;
    if (running == null) {
      return; // it never started
    }
    boolean idle;
    synchronized (lock) {
      shutdown = true;
      idle = open == 0;
    }
    running.drain();
    running.stopListening();
    ServerListener told = Objects.requireNonNull(listener);
    if (!idle) {
      told.serverShutdown();
      return;
    }
    CountDownLatch closed = new CountDownLatch(1);
    close(
        () -> {
          told.serverShutdown();
          closed.countDown();
        });
    try {
      boolean _ = closed.await(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it goes on in the background
    }
  }

  /** Closes the server of Verbena, which may wait for calls of its contracts. */
  private void close(Runnable then) {
    VerbenaServer running = Objects.requireNonNull(server);
    synchronized (lock) {
      if (closing) {
        return;
      }
      closing = true;
    }
    OwnThreads.background(
        "verbena-grpc-close",
        () -> {
          try {
            running.close();
          } finally {
            releaseThreads();
            then.run();
          }
        },
        failure -> {
          LOG.error("The server at {} could not be closed", address, failure);
          then.run();
        });
  }

  @Override
  public String toString() {
    return "gRPC at " + address;
  }
}
