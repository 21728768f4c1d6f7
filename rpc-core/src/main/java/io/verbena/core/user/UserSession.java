package io.verbena.core.user;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.region.Regions;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.call.Admission;
import io.verbena.core.call.CallCounters;
import io.verbena.core.call.CallWindow;
import io.verbena.core.call.Calls;
import io.verbena.core.call.IncomingCalls;
import io.verbena.core.call.OutgoingCalls;
import io.verbena.core.contract.LocalServices;
import io.verbena.core.contract.RemoteServices;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.intercept.InterceptedCaller;
import io.verbena.core.intercept.Interceptors;
import io.verbena.core.region.SessionRegions;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.session.SessionRole;
import io.verbena.core.stat.SessionStat;
import io.verbena.core.stream.SessionStreams;
import io.verbena.core.transfer.CallTransfers;
import io.verbena.core.transfer.SessionObjects;
import io.verbena.core.transfer.Transfers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A session with contracts, calls both ways, regions and large objects. */
public final class UserSession extends SessionImpl {
  private final RemoteServices contracts = new RemoteServices(this);
  private final Transfers transfers = new Transfers(this, this::lastCallOfPeer);
  private final BulkObjects objects = new SessionObjects(transfers);
  private final Interceptors interceptors;
  private final Calls calls;
  private final OutgoingCalls outgoing;
  private final IncomingCalls incoming;
  private final Regions regions;

  /**
   * One that serves nothing yet.
   *
   * @param counters of all sessions of the client or server
   * @param interceptors what every call passes
   * @param admission gives the peer's calls places; null where they need none
   */
  public UserSession(
      SessionContext context,
      SessionRole role,
      CallCounters counters,
      Interceptors interceptors,
      @Nullable Admission admission) {
    super(context, role);
    this.interceptors = interceptors;
    this.calls = new Calls(this, counters, new CallTransfers(transfers));
    this.outgoing = new OutgoingCalls(calls, contracts);
    this.incoming = new IncomingCalls(calls, contracts, interceptors.guard(), admission);
    SessionStreams streams = new SessionStreams(calls, outgoing);
    calls.streams(streams);
    SessionRegions mine = new SessionRegions(this, outgoing);
    this.regions = mine;
    carries(
        contracts,
        outgoing,
        incoming,
        streams,
        mine.exposed(),
        mine.device(),
        mine.versioned(),
        incoming.oneways(),
        incoming.awaitingValues(),
        outgoing.awaitingValues(),
        transfers);
  }

  /**
   * Serves what every session of a server serves; before its first link.
   *
   * @param tellsAll whether a peer hears of services of which it shows no contract
   */
  public UserSession serving(LocalServices shared, boolean tellsAll) {
    contracts.serveAll(shared, tellsAll);
    return this;
  }

  // ---- as its users have it, for any thread but where it says ----

  @Override
  public void serve(ServiceBinding binding) {
    contracts.serve(binding);
  }

  @Override
  public ServiceCaller caller(ServiceDescriptor<?> service, CallOptions options) {
    contracts.expect(service);
    return InterceptedCaller.of(outgoing, interceptors.ofCalls(), options);
  }

  @Override
  public BulkObjects objects() {
    return objects;
  }

  @Override
  public Regions regions() {
    return regions;
  }

  /**
   * Finds out whether the peer serves a contract, with every method in a shape that fits. Safe for
   * any thread.
   *
   * @return what is in the way, in words; fails with an {@link RpcException} UNIMPLEMENTED where
   *     the peer does not serve it; cancelled if the peer is lost meanwhile
   */
  public CompletableFuture<List<String>> check(ServiceDescriptor<?> service) {
    CompletableFuture<List<String>> problems = new CompletableFuture<>();
    loop().execute(() -> contracts.check(service, problems));
    return problems;
  }

  /**
   * Finds out which services the peer serves. Safe for any thread.
   *
   * @return their names, sorted; cancelled if the session is not open
   */
  public CompletableFuture<List<String>> peerServices() {
    CompletableFuture<List<String>> names = new CompletableFuture<>();
    loop().execute(() -> contracts.names(names));
    return names;
  }

  /**
   * Asks the peer for what its contract of a service says on the wire. Safe for any thread.
   *
   * @return the schema; fails with an {@link RpcException} UNIMPLEMENTED where the peer does not
   *     serve it; cancelled if the session is not open, or the peer lost meanwhile
   */
  public CompletableFuture<Schema> peerSchema(String service) {
    CompletableFuture<Schema> schema = new CompletableFuture<>();
    loop().execute(() -> contracts.read(service, schema));
    return schema;
  }

  /** Returns the window of calls under way. */
  public CallWindow window() {
    return calls.window();
  }

  @Override
  public SessionStat stat() {
    return stat(outgoing.underWay(), incoming.size(), calls.counters().stat(), transfers.stat());
  }

  @Override
  public SessionStat silentStat() {
    return silentStat(calls.counters().stat());
  }

  // ---- what the session asks ----

  @Override
  protected List<OfferedService> greeting() {
    return contracts.greeting();
  }

  @Override
  protected @Nullable String reserve(List<OfferedService> offered) {
    return contracts.reserve(offered);
  }

  @Override
  protected void peerServes(List<OfferedService> offered, boolean tellsAll) {
    contracts.replace(offered, tellsAll);
  }

  private long lastCallOfPeer() {
    return incoming.lastCallId();
  }

  @Override
  protected int answersAwaited() {
    return outgoing.size();
  }

  @Override
  protected boolean goesOn() {
    return incoming.isBusy();
  }

  @Override
  protected void endWhatGoesOn() {
    incoming.oneways().end();
  }
}
