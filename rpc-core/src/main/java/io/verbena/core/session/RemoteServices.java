package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.call.PendingCall;
import io.verbena.core.codec.SchemaCheck;
import io.verbena.core.codec.SchemaWire;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.sequence.Outgoing;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What each end tells the other of its services. A call waits here until the peer's services are
 * known; where the contracts' hashes differ, until the peer's schema has come and was found to fit.
 */
final class RemoteServices {
  private static final int MOST_SERVICES = 4096;

  private final SessionCore session;
  private final ConcurrentHashMap<Integer, String> servedNames = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Integer, Expected> expected = new ConcurrentHashMap<>();
  private final Int2ObjectHashMap<Remote> remotes = new Int2ObjectHashMap<>();
  private final List<PendingCall<?>> early = new ArrayList<>();
  private boolean known;

  /** A contract that stubs of this end were made for. */
  private record Expected(Schema schema, long hash) {}

  /** A service of the peer's. */
  private static final class Remote {
    final long hash;
    boolean fits;
    boolean asked;
    @Nullable String misfit;
    final List<PendingCall<?>> parked = new ArrayList<>();

    Remote(long hash) {
      this.hash = hash;
    }
  }

  RemoteServices(SessionCore session) {
    this.session = session;
  }

  // ---- what this end serves ----

  /** Serves one more contract. Safe for any thread. */
  void serve(ServiceBinding binding) {
    String name = binding.service().name();
    String other = servedNames.putIfAbsent(OfferedService.id(name), name);
    if (other != null) {
      throw new IllegalArgumentException(
          other.equals(name)
              ? "service " + name + " is served already"
              : "services " + name + " and " + other + " have the same id: rename one");
    }
    session.loop().execute(() -> serveOnLoop(binding));
  }

  private void serveOnLoop(ServiceBinding binding) {
    session.services().add(binding);
    if (session.isAttached()) {
      session.enqueue(
          ControlFrame.message(
              FrameKind.SERVICES,
              0,
              out -> OfferedService.writeAll(out, List.of(OfferedService.of(binding.service())))));
    }
  }

  /** Serves what every session of a server serves. */
  void serveAll(LocalServices shared) {
    session.services().addAll(shared);
    shared.offered().forEach(one -> servedNames.put(OfferedService.id(one.name()), one.name()));
  }

  // ---- what the peer serves ----

  /** A stub for this contract was made. Safe for any thread. */
  void expect(ServiceDescriptor<?> service) {
    expected.computeIfAbsent(
        OfferedService.id(service.name()),
        id -> new Expected(service.schema(), service.schema().hash()));
  }

  /** Sends a call on, or keeps it until it is known whether the contracts fit. */
  void send(PendingCall<?> call) {
    if (!known || !session.mayCall()) {
      early.add(call);
      session.schedulePump();
      return;
    }
    int id = OfferedService.id(call.method().service());
    Remote remote = remotes.get(id);
    if (remote == null || remote.fits) {
      session.enqueue(call); // a service that the peer does not serve: it answers with what it does
      return;
    }
    Expected mine = expected.get(id);
    if (mine == null) {
      session.enqueue(call);
    } else if (remote.hash == mine.hash) {
      remote.fits = true;
      session.enqueue(call);
    } else if (remote.misfit != null) {
      refuse(call, remote.misfit);
    } else {
      park(remote, id, call);
    }
  }

  private void park(Remote remote, int id, PendingCall<?> call) {
    remote.parked.add(call);
    if (!remote.asked) {
      remote.asked = true;
      session.enqueue(ControlFrame.message(FrameKind.SCHEMA_REQUEST, 0, out -> out.writeInt(id)));
    }
  }

  private void refuse(PendingCall<?> call, String misfit) {
    call.fail(RpcStatus.INCOMPATIBLE, misfit);
    session.abandoned(call);
  }

  /** The session has opened with a peer that serves these. */
  void replace(List<OfferedService> offered) {
    known = true;
    remotes.clear();
    add(offered);
    sendEarly();
  }

  /** Sends what waited for the peer's services, or for the path that calls must take. */
  void sendEarly() {
    if (known && session.mayCall() && !early.isEmpty()) {
      List<PendingCall<?>> waited = new ArrayList<>(early);
      early.clear();
      waited.forEach(this::send);
    }
  }

  private void add(List<OfferedService> offered) {
    for (OfferedService service : offered) {
      remotes.put(OfferedService.id(service.name()), new Remote(service.schemaHash()));
    }
  }

  /**
   * The peer is gone: the next one may serve something else, so that what was not sent is looked at
   * again.
   */
  void peerLost(List<Outgoing> unsent) {
    known = false;
    for (Outgoing message : unsent) {
      if (message instanceof PendingCall<?> call) {
        early.add(call);
      }
    }
    remotes.values().forEach(remote -> early.addAll(remote.parked));
    remotes.clear();
    dropDone();
  }

  /** Forgets calls that have ended while they waited here. */
  void dropDone() {
    early.removeIf(PendingCall::isDone);
    remotes.values().forEach(remote -> remote.parked.removeIf(PendingCall::isDone));
  }

  // ---- frames ----

  @Nullable String take(FrameKind kind, ByteBuffer buffer, int from, int to) {
    WireDecoder in = session.decoder();
    in.start(buffer, from, to, session.limits().maxDepth());
    switch (kind) {
      case SERVICES -> {
        add(OfferedService.readAll(in));
        if (remotes.size() > MOST_SERVICES) {
          return "more than " + MOST_SERVICES + " services";
        }
      }
      case SCHEMA_REQUEST -> answer(in.readInt());
      default -> {
        return compare(in);
      }
    }
    return null;
  }

  private void answer(int id) {
    LocalServices.Served served = session.services().get(id);
    session.enqueue(
        ControlFrame.message(
            FrameKind.SCHEMA,
            0,
            out -> {
              out.writeInt(id);
              out.writeBoolean(served != null);
              if (served != null) {
                SchemaWire.write(out, served.binding().service().schema());
              }
            }));
  }

  private @Nullable String compare(WireDecoder in) {
    int id = in.readInt();
    Remote remote = remotes.get(id);
    Expected mine = expected.get(id);
    if (remote == null || mine == null || !remote.asked) {
      return "a schema that was not asked for";
    }
    if (in.readBoolean()) {
      Schema theirs = SchemaWire.read(in);
      List<String> mismatches = SchemaCheck.mismatches(mine.schema(), theirs);
      if (!mismatches.isEmpty()) {
        remote.misfit = "the two ends' contracts differ: " + String.join("; ", mismatches);
      }
    }
    remote.fits = remote.misfit == null;
    List<PendingCall<?>> waited = new ArrayList<>(remote.parked);
    remote.parked.clear();
    waited.forEach(this::send);
    return null;
  }
}
