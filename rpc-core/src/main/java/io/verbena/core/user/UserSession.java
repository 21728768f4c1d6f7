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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A session with contracts, calls in both directions, regions and large objects. */
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
   * Makes a session without services.
   *
   * @param counters of all sessions of the client or server
   * @param interceptors the interceptors that every call passes
   * @param admission admits the peer's calls; null if all are admitted
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
    addParticipants(contracts, outgoing, incoming, streams);
    addParticipants(mine.participants());
    addParticipants(
        incoming.oneways, incoming.awaitingValues(), outgoing.awaitingValues(), transfers);
  }

  /**
   * Serves the services that all sessions of a server share. It is called before the first link.
   *
   * @param tellsAll whether a peer may read services for which it has no contract
   */
  public UserSession serving(LocalServices shared, boolean tellsAll) {
    contracts.serveAll(shared, tellsAll);
    return this;
  }

  // ---- the interface for users; for any thread ----

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
   * Checks that the peer serves a contract and that every method fits. Safe for use by any thread.
   *
   * @return the misfits in words. It fails with an {@link RpcException} UNIMPLEMENTED if the peer
   *     does not serve the contract, and is cancelled if the session is not open or the peer is
   *     lost
   */
  public CompletableFuture<List<String>> check(ServiceDescriptor<?> service) {
    return onLoop(problems -> contracts.check(service, problems));
  }

  /**
   * Asks the peer for its services. Safe for use by any thread.
   *
   * @return their names, sorted. It fails with an {@link RpcException} PERMISSION_DENIED if the
   *     peer does not announce them, and is cancelled if the session is not open
   */
  public CompletableFuture<List<String>> peerServices() {
    return onLoop(contracts::names);
  }

  /**
   * Asks the peer for the schema of a service. Safe for use by any thread.
   *
   * @return the schema. It fails with an {@link RpcException} UNIMPLEMENTED if the peer does not
   *     serve it, PERMISSION_DENIED if the peer does not show it, and is cancelled if the session
   *     is not open or the peer is lost
   */
  public CompletableFuture<Schema> peerSchema(String service) {
    return onLoop(schema -> contracts.read(service, schema));
  }

  private <T> CompletableFuture<T> onLoop(Consumer<CompletableFuture<T>> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    loop().execute(() -> question.accept(answer));
    return answer;
  }

  public CallWindow window() {
    return calls.window;
  }

  @Override
  public SessionStat stat() {
    return stat(outgoing.underWay(), incoming.size(), calls.counters.stat(), transfers.stat());
  }

  @Override
  public SessionStat silentStat() {
    return silentStat(calls.counters.stat());
  }

  // ---- questions of the session ----

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

  /**
   * Another RPC system is carried: its service and so many of its calls, which wait for the end of
   * the session, do not keep callers from stepping the loop. On the loop.
   */
  public void carries(int standingCalls) {
    incoming.carries();
    outgoing.standing(standingCalls);
  }

  /** Sets what receives the reason when the peer has dropped one-way calls. On the loop. */
  public void whenRefused(Consumer<String> told) {
    outgoing.whenRefused(told);
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
    incoming.oneways.end();
  }
}
