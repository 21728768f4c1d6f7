package io.verbena.core.contract;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.codec.Compatibility;
import io.verbena.codec.SchemaCheck;
import io.verbena.codec.SchemaWire;
import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.sequence.Message;
import io.verbena.core.sequence.Outgoing;
import io.verbena.core.session.ControlFrame;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Quota;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The announcements of services in both directions. A call waits here until the peer's services are
 * known. If the hashes of the contracts differ, it waits for the peer's schema and its comparison.
 */
public final class RemoteServices implements Participant {
  private static final int MOST_SERVICES = 4096;
  private static final int MOST_PLACED = 16;

  /** The services of an ordinary peer need less, and do not count. */
  private static final long UNCOUNTED = 8 << 10;

  /** The bytes of contracts that are sent before the peer has acknowledged the earlier ones. */
  private static final int MOST_AHEAD = 64 << 10;

  private final SessionImpl session;
  private final LocalServices services = new LocalServices();
  private final ConcurrentHashMap<Integer, String> servedNames = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Integer, Expected> expected = new ConcurrentHashMap<>();
  private final Int2ObjectHashMap<RemoteService> remotes = new Int2ObjectHashMap<>();

  /**
   * Methods with a known place at the peer, by the last bits of their ids. Nearly every call finds
   * its place here.
   */
  private final @Nullable MethodDescriptor<?>[] placed = new MethodDescriptor<?>[MOST_PLACED];

  private final int[] places = new int[MOST_PLACED];

  private final List<ContractCall> early = new ArrayList<>();
  private boolean known;

  /** Whether this end announces services to peers without a contract of them. */
  private boolean tells = true;

  /** Whether the peer does the same. */
  private boolean peerTells = true;

  private long taken;

  /**
   * The number of this end's services that the peer knows. {@code greeted} of them were in the
   * greeting.
   */
  private int told;

  private int greeted;

  /** The peer's requests for contracts that wait until it has acknowledged the earlier ones. */
  private final ArrayDeque<Asked> asked = new ArrayDeque<>();

  /** The bytes of the contracts that were sent since it had acknowledged all earlier ones. */
  private long ahead;

  /** The number of the last contract that was sent. */
  private long lastSent;

  /**
   * A request for the contract of a service.
   *
   * @param schema null if there is none for this peer
   * @param announced the service, if the peer learns of it by the answer
   */
  private record Asked(int id, @Nullable Schema schema, List<OfferedService> announced) {}

  /** A contract with stubs at this end. */
  private record Expected(Schema schema, OfferedService offer) {
    long hash() {
      return offer.schemaHash();
    }
  }

  public RemoteServices(SessionImpl session) {
    this.session = session;
  }

  public LocalServices local() {
    return services;
  }

  // ---- services of this end ----

  /** Adds a service. Safe for use by any thread. */
  public void serve(ServiceBinding binding) {
    String name = binding.service().name();
    String other = servedNames.putIfAbsent(OfferedService.id(name), name);
    if (other != null) {
      throw LocalServices.clash(name, other);
    }
    session
        .loop()
        .execute(
            () -> {
              services.add(binding);
              if (session.isAttached()) {
                tellNew();
              }
            });
  }

  public List<OfferedService> greeting() {
    if (!tells) {
      return List.of();
    }
    greeted = services.size();
    return services.offered();
  }

  /** Announces new services to the peer of an open session. */
  private void tellNew() {
    List<OfferedService> added = services.offeredFrom(told);
    if (known && tells && !added.isEmpty()) {
      told += added.size();
      session.enqueue(
          ControlFrame.message(FrameKind.SERVICES, 0, out -> OfferedService.writeAll(out, added)));
    }
  }

  public void serveAll(LocalServices shared, boolean tellsAll) {
    tells = tellsAll;
    services.addAll(shared);
    shared.offered().forEach(one -> servedNames.put(OfferedService.id(one.name()), one.name()));
  }

  /** Returns the names of this end's services, for a peer that made a wrong call. */
  public String servedNames() {
    return tells ? services.names() : "services that it does not announce";
  }

  // ---- services of the peer ----

  /** Adds a contract with a stub. Safe for use by any thread. */
  public void expect(ServiceDescriptor<?> service) {
    expected.computeIfAbsent(
        OfferedService.id(service.name()),
        id -> new Expected(service.schema(), OfferedService.of(service, 0)));
  }

  /** Sends a call, or keeps it until the compatibility of the contracts is known. */
  @SuppressWarnings("ReferenceEquality") // a contract has one object for each method
  public void send(ContractCall call) {
    if (!maySend() || !lets(call) || !call.mayLeave()) {
      early.add(call);
      session.schedulePump();
      return;
    }
    MethodDescriptor<?> method = call.method();
    int at = method.id() & (MOST_PLACED - 1);
    if (placed[at] == method) {
      call.directTo(places[at]);
      session.enqueue(call);
      return;
    }
    int id = OfferedService.id(method.service());
    RemoteService remote = remotes.get(id);
    if (remote == null) {
      remote = seek(method.service());
    }
    Compatibility found = compatibility(id, remote);
    if (found == null) {
      remote.calls.add(call);
      return;
    }
    String misfit = found.misfit(method.id());
    int place = remote.place(method.id());
    if (misfit != null) {
      call.refuse(RpcStatus.INCOMPATIBLE, misfit);
    } else if (place == RemoteService.NO_METHOD) {
      call.refuse(RpcStatus.UNIMPLEMENTED, noMethod(call));
    } else {
      if (!OwnService.has(method)) { // each request of a stream has its own method
        placed[at] = method;
        places[at] = place;
      }
      call.directTo(place);
      session.enqueue(call);
    }
  }

  /**
   * Returns whether a call may leave. A draining peer accepts only calls of its streams, and
   * one-way calls, whose senders have gone on: where no call waits for the next peer, they leave.
   */
  public boolean lets(ContractCall call) {
    if (!session.peerDrains()) {
      return true;
    }
    boolean leaves = call.method().oneway() && !session.role().callsWait();
    return session.ending().owesLastCall() && (leaves || OwnService.asksForItems(call.method()));
  }

  /** Begins to ask for a service that the peer has not announced but may serve. */
  private RemoteService seek(String name) {
    RemoteService sought = new RemoteService(name);
    remotes.put(OfferedService.id(name), sought);
    return sought;
  }

  /**
   * Sends this end's contract of the service, if there is one. A peer may answer only for methods
   * of it.
   */
  private void ask(int id) {
    Expected mine = expected.get(id);
    List<OfferedService> shown = mine == null ? List.of() : List.of(mine.offer());
    session.enqueue(
        ControlFrame.message(
            FrameKind.SCHEMA_REQUEST,
            0,
            out -> {
              out.writeInt(id);
              OfferedService.writeAll(out, shown);
            }));
  }

  private List<String> told() {
    return remotes.values().stream()
        .filter(remote -> !remote.isSought())
        .map(remote -> remote.name)
        .filter(name -> !OwnService.is(name))
        .sorted()
        .toList();
  }

  private String notServed() {
    if (!peerTells) {
      return "the peer does not serve this service";
    }
    List<String> names = told();
    String serves = "the peer serves " + LocalServices.names(names);
    return names.isEmpty() ? serves : serves + ", not this service";
  }

  private RpcException notServed(String service) {
    return notExecuted(RpcStatus.UNIMPLEMENTED, service + ": " + notServed());
  }

  private static RpcException notExecuted(RpcStatus status, String why) {
    return new RpcException(
        status, why, CallPhase.QUEUED, Execution.NOT_EXECUTED, true, null, null);
  }

  private static String noMethod(ContractCall call) {
    return "the peer's contract of service %s has no method %d: it was removed, or not added yet"
        .formatted(call.method().service(), call.method().id());
  }

  /**
   * Returns whether calls are sent to the peer now, instead of waiting for its services, its path
   * or its end.
   */
  private boolean maySend() {
    return known && session.mayCall();
  }

  /** Returns the compatibility; null if the peer has to be asked for its contract first. */
  private @Nullable Compatibility compatibility(int id, RemoteService remote) {
    if (remote.found() != null) {
      return remote.found(); // the usual case, without allocation
    }
    Expected mine = expected.get(id);
    if (!remote.asked && !remote.isSought() && (mine == null || remote.hash == mine.hash())) {
      remote.found(Compatibility.FULL);
    } else if (!remote.asked) {
      remote.asked = true;
      ask(id);
    }
    return remote.found();
  }

  /** Completes a future with the incompatibilities of a contract. On the loop. */
  public void check(ServiceDescriptor<?> service, CompletableFuture<List<String>> problems) {
    expect(service);
    int id = OfferedService.id(service.name());
    RemoteService remote = remotes.get(id);
    if (!known) {
      problems.cancel(false);
    } else if (remote == null && peerTells) {
      problems.completeExceptionally(notServed(service.name()));
    } else {
      remote = remote == null ? seek(service.name()) : remote;
      remote.checks.add(problems);
      Compatibility found = compatibility(id, remote);
      if (found != null) {
        remote.found(found);
      }
    }
  }

  /** Completes a future with the sorted names of the peer's services. On the loop. */
  public void names(CompletableFuture<List<String>> names) {
    if (!known) {
      names.cancel(false);
    } else if (!peerTells) {
      names.completeExceptionally(notTold());
    } else {
      names.complete(told());
    }
  }

  private static RpcException notTold() {
    return notExecuted(
        RpcStatus.PERMISSION_DENIED,
        "the server does not show its contracts to clients without one. That is the default with"
            + " an authenticator: set tellContracts(true) at the server");
  }

  /** Completes a future with the peer's schema of a service. On the loop. */
  public void read(String service, CompletableFuture<Schema> schema) {
    RemoteService remote = remotes.get(OfferedService.id(service));
    if (!known) {
      schema.cancel(false);
    } else if (!peerTells) {
      schema.completeExceptionally(notTold());
    } else if (remote == null || remote.isSought() || !remote.name.equals(service)) {
      schema.completeExceptionally(notServed(service));
    } else {
      remote.readers.add(schema);
      if (remote.readers.size() == 1) {
        ask(OfferedService.id(service));
      }
    }
  }

  /**
   * Takes the services of a peer with which the session has opened.
   *
   * @param tellsAll whether the peer announces all its services
   */
  public void replace(List<OfferedService> offered, boolean tellsAll) {
    String wrong = reserve(offered);
    if (wrong != null) {
      session.breakOff(wrong);
      return;
    }
    known = true;
    peerTells = tellsAll;
    told = greeted;
    remotes.clear();
    add(offered);
    tellNew();
    sendEarly();
  }

  /**
   * Reserves memory for these services instead of the earlier ones. Returns the reason for a
   * failure, or null.
   */
  public @Nullable String reserve(List<OfferedService> offered) {
    release();
    return charge(offered, 0);
  }

  private @Nullable String charge(List<OfferedService> more, int known) {
    if (known + more.size() > MOST_SERVICES) {
      return "more than " + MOST_SERVICES + " services";
    }
    Quota.Share memory = session.memory().share(Memory.ASSEMBLY);
    long all = taken + more.stream().mapToLong(RemoteService::bytes).sum();
    long bytes = counted(all) - counted(taken);
    if (bytes > 0 && !memory.take(bytes)) {
      return "its services: " + memory.refusal(bytes, Memory.ASSEMBLY.setting());
    }
    taken = all;
    return null;
  }

  private static long counted(long bytes) {
    return Math.max(0, bytes - UNCOUNTED);
  }

  private void release() {
    if (counted(taken) > 0) {
      session.memory().share(Memory.ASSEMBLY).give(counted(taken));
    }
    taken = 0;
  }

  /** Sends the calls that waited for the peer's services, or for an allowed path. */
  public void sendEarly() {
    if (maySend() && !early.isEmpty()) {
      List<ContractCall> waited = new ArrayList<>(early);
      early.clear();
      waited.forEach(this::send);
    }
  }

  private void add(List<OfferedService> offered) {
    Arrays.fill(placed, null);
    for (OfferedService service : offered) {
      remotes
          .computeIfAbsent(
              OfferedService.id(service.name()), id -> new RemoteService(service.name()))
          .told(service);
    }
  }

  @Override
  public void attached() {
    tellNew();
  }

  @Override
  public void upgraded() {
    sendEarly();
  }

  /** Takes back the calls that were not sent, because the next peer may have other services. */
  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    known = false;
    if (!forGood) {
      takeBackUnsent();
    }
    Arrays.fill(placed, null);
    remotes.values().forEach(remote -> early.addAll(remote.lost()));
    remotes.clear();
    release();
    asked.clear();
    ahead = 0;
    lastSent = 0;
    if (forGood) {
      early.clear();
    } else {
      dropDone();
    }
  }

  /** Takes back calls, except those that a draining peer accepts. */
  @Override
  public void peerDrains(String reason) {
    takeBackUnsent();
    sendEarly();
  }

  /** Keeps calls that were not sent for the next peer. */
  private void takeBackUnsent() {
    for (Outgoing message : session.outbox().takeUnsent()) {
      if (message instanceof ContractCall call) {
        early.add(call);
      }
    }
  }

  /** Removes calls that ended while they waited here. */
  public void dropDone() {
    early.removeIf(ContractCall::isDone);
    remotes.values().forEach(remote -> remote.calls.removeIf(ContractCall::isDone));
  }

  // ---- frames ----

  @Override
  public Set<FrameKind> kinds() {
    return Set.of(FrameKind.SERVICES, FrameKind.SCHEMA_REQUEST, FrameKind.SCHEMA);
  }

  @Override
  public @Nullable String take(Message message) {
    WireDecoder in = session.decoding(message);
    switch (message.kind()) {
      case SERVICES -> {
        List<OfferedService> more = OfferedService.readAll(in);
        String wrong = charge(more, remotes.size());
        if (wrong != null) {
          return wrong;
        }
        add(more);
      }
      case SCHEMA_REQUEST -> {
        return answer(in.readInt(), in.remaining() == 0 ? List.of() : OfferedService.readAll(in));
      }
      default -> {
        return compare(in);
      }
    }
    return null;
  }

  private @Nullable String answer(int id, List<OfferedService> shown) {
    LocalServices.Served served = services.get(id);
    if (served == null) {
      asked.add(new Asked(id, null, List.of()));
    } else {
      Schema schema = told(served, shown);
      boolean knows = tells || schema == null;
      asked.add(new Asked(id, schema, knows ? List.of() : List.of(served.offer())));
    }
    answerAsked();
    if (asked.size() == 1) {
      session.turnsChanged();
    }
    return asked.size() <= MOST_SERVICES
        ? null
        : "more than " + MOST_SERVICES + " requests for contracts that it does not receive";
  }

  /** Answers the peer's requests as far as it has received the earlier answers. */
  private void answerAsked() {
    if (session.outbox().acknowledged() >= lastSent) {
      ahead = 0;
    }
    Asked next;
    while (ahead < MOST_AHEAD && (next = asked.peek()) != null) {
      int id = next.id;
      Schema schema = next.schema;
      List<OfferedService> announced = next.announced;
      if (!announced.isEmpty()) {
        sendAhead(
            ControlFrame.message(
                FrameKind.SERVICES, 0, out -> OfferedService.writeAll(out, announced)));
      }
      ControlFrame answer =
          ControlFrame.message(
              FrameKind.SCHEMA,
              0,
              out -> {
                out.writeInt(id);
                out.writeBoolean(schema != null);
                if (schema != null) {
                  SchemaWire.write(out, schema);
                }
              },
              number -> lastSent = number);
      lastSent = Long.MAX_VALUE; // until it has a number
      sendAhead(answer);
      asked.remove();
    }
  }

  private void sendAhead(ControlFrame answer) {
    ahead += answer.answerBytes();
    session.enqueue(answer);
  }

  @Override
  public boolean takesTurns() {
    return !asked.isEmpty();
  }

  /** Futures of users wait for the peer's schemas. */
  @Override
  public boolean runsUsersCode() {
    return !early.isEmpty() || remotes.values().stream().anyMatch(RemoteService::isAsked);
  }

  @Override
  public boolean wantsTurn() {
    return !asked.isEmpty();
  }

  @Override
  public void beforeFrames() {
    answerAsked();
  }

  /**
   * Returns the schema of a service. If this end does not show its contracts, only the methods of
   * the peer's contract are in it.
   */
  private @Nullable Schema told(LocalServices.Served served, List<OfferedService> shown) {
    Schema whole = served.binding().service().schema();
    if (tells) {
      return whole;
    }
    if (shown.isEmpty() || !shown.getFirst().name().equals(whole.service())) {
      return null;
    }
    return SchemaWire.part(whole, shown.getFirst().methods());
  }

  private @Nullable String compare(WireDecoder in) {
    int id = in.readInt();
    RemoteService remote = remotes.get(id);
    boolean toCompare = remote != null && remote.asked;
    if (remote == null || !(toCompare || !remote.readers.isEmpty())) {
      return "a schema that was not requested";
    }
    Schema theirs = in.readBoolean() ? SchemaWire.read(in) : null;
    tellReaders(remote, theirs);
    if (!toCompare) {
      return null;
    }
    if (remote.isSought()) {
      remotes.remove(id);
      remote.checks.forEach(check -> check.completeExceptionally(notServed(remote.name)));
      remote.calls.forEach(call -> call.refuse(RpcStatus.UNIMPLEMENTED, notServed()));
      return null;
    }
    Expected mine = expected.get(id);
    Compatibility found = Compatibility.FULL; // calls of an unknown service fail
    if (theirs != null && mine != null && mine.hash() != remote.hash) {
      found = SchemaCheck.compare(mine.schema(), theirs);
      String peer = session.peer().address();
      ContractLog.tell(mine.schema().service(), peer, mine.hash(), remote.hash, found);
    }
    remote.found(found);
    List<ContractCall> waited = new ArrayList<>(remote.calls);
    remote.calls.clear();
    waited.forEach(this::send);
    return null;
  }

  private static void tellReaders(RemoteService remote, @Nullable Schema theirs) {
    List<CompletableFuture<Schema>> readers = List.copyOf(remote.readers);
    remote.readers.clear();
    for (CompletableFuture<Schema> reader : readers) {
      if (theirs == null) {
        reader.completeExceptionally(
            new RpcException(RpcStatus.UNIMPLEMENTED, remote.name + " is no longer served"));
      } else {
        reader.complete(theirs);
      }
    }
  }
}
