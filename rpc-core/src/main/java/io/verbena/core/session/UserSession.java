package io.verbena.core.session;

import io.verbena.api.CallOptions;
import io.verbena.api.Peer;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionPath;
import io.verbena.api.SessionState;
import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.call.CallWindow;
import io.verbena.core.call.SessionCaller;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.stat.SessionStat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A session as its users, and those who watch it, have it. Safe for any thread but where it says.
 */
public final class UserSession implements Session {
  private final SessionCore core;

  UserSession(SessionCore core) {
    this.core = core;
  }

  @Override
  public SessionState state() {
    return core.state();
  }

  @Override
  public SessionPath path() {
    return core.path();
  }

  @Override
  public void listen(SessionListener listener) {
    Objects.requireNonNull(listener);
    core.loop().execute(() -> core.life().listen(listener));
  }

  @Override
  public Peer peer() {
    return core.peer();
  }

  @Override
  public BulkObjects objects() {
    return core.objects();
  }

  @Override
  public void serve(ServiceBinding binding) {
    core.remoteServices().serve(binding);
  }

  @Override
  public ServiceCaller caller(ServiceDescriptor<?> service, CallOptions options) {
    core.remoteServices().expect(service);
    return SessionCaller.of(core.calls(), options);
  }

  /**
   * Finds out whether the peer serves a contract, with every method in a shape that fits. Safe for
   * any thread.
   *
   * @return what is in the way, in words; fails with an {@link io.verbena.api.RpcException}
   *     UNIMPLEMENTED where the peer does not serve it; cancelled if the peer is lost meanwhile
   */
  public CompletableFuture<List<String>> check(ServiceDescriptor<?> service) {
    CompletableFuture<List<String>> problems = new CompletableFuture<>();
    core.loop().execute(() -> core.remoteServices().check(service, problems));
    return problems;
  }

  /**
   * Finds out which services the peer serves. Safe for any thread.
   *
   * @return their names, sorted; cancelled if the session is not open
   */
  public CompletableFuture<List<String>> peerServices() {
    CompletableFuture<List<String>> names = new CompletableFuture<>();
    core.loop().execute(() -> core.remoteServices().names(names));
    return names;
  }

  /**
   * Asks the peer for what its contract of a service says on the wire. Safe for any thread.
   *
   * @return the schema; fails with an {@link io.verbena.api.RpcException} UNIMPLEMENTED where the
   *     peer does not serve it; cancelled if the session is not open, or the peer lost meanwhile
   */
  public CompletableFuture<Schema> peerSchema(String service) {
    CompletableFuture<Schema> schema = new CompletableFuture<>();
    core.loop().execute(() -> core.remoteServices().read(service, schema));
    return schema;
  }

  @Override
  public void close() {
    core.loop().execute(core.closing()::begin);
  }

  /**
   * Closes the session, as {@link #close}. Safe for any thread.
   *
   * @return completes when that is done, after 2 s at the latest
   */
  public CompletableFuture<Void> closeInOrder() {
    close();
    return core.closing().done().copy();
  }

  /** Closes the session without waiting for what is on its way. Safe for any thread. */
  public void closeNow() {
    core.loop().execute(core.closing()::finish);
  }

  /** Returns what the path there is now costs. */
  public PathCosts pathCosts() {
    return core.pathCosts();
  }

  /** Returns the cut-offs of the path there is now. Safe for any thread. */
  public CutOffs cutOffs() {
    return core.pathCosts().cutOffs();
  }

  /** Returns the session's figures. On the loop. */
  public SessionStat stat() {
    Lane out = core.lanes().out();
    return new SessionStat(
        peer().address(),
        peer().identity(),
        core.life().state(),
        path().toString(),
        core.lanes().toString(),
        core.outgoingCalls().underWay(),
        core.incomingCalls().size(),
        core.calls().oneways().stat(),
        core.outbox().owedBytes(),
        core.life().pathChanges(),
        core.transfers().stat(),
        out == null ? Map.of() : out.link().figures(),
        core.pathCosts().figures());
  }

  /** Returns what is known of a session whose loop does not answer. Safe for any thread. */
  public SessionStat silentStat() {
    String silent = path() + ", but its event loop does not answer";
    return new SessionStat(
        peer().address(),
        peer().identity(),
        state(),
        silent,
        "",
        0,
        0,
        core.calls().oneways().stat(),
        0,
        0,
        List.of(),
        Map.of(),
        core.pathCosts().figures());
  }

  /** Returns the loop that owns the session. */
  public EventLoop loop() {
    return core.loop();
  }

  /** Returns the window of calls under way. */
  public CallWindow window() {
    return core.calls().window();
  }

  /** Returns the session's limits. */
  public SessionLimits limits() {
    return core.limits();
  }

  @Override
  public String toString() {
    return core.toString();
  }
}
