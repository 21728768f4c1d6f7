package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.rdma.DeviceAddress;
import io.verbena.rdma.DeviceAddresses;
import io.verbena.rdma.DeviceChoice;
import io.verbena.rdma.RdmaFailureText;
import io.verbena.rdma.link.LinkContext;
import io.verbena.rdma.link.LinkOpenListener;
import io.verbena.rdma.link.RdmaLink;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.verbs.ext.VerbsCmId;
import io.verbena.verbs.ext.VerbsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The active end: it connects with an offer, to one candidate after the other. Candidates in a
 * network of this host's devices come first. Candidates that no device's address here leads to are
 * left out. Each has an equal share of the remaining time, to be resolved and connected to. So a
 * host is reached over its second network if the first is dead. If a candidate received the request
 * and only its answer was lost, the token is used up, and the other candidates refuse it. The next
 * attempt then begins with another candidate.
 *
 * <pre>
 *   next candidate → resolving address → resolving route → connecting (a link waits) → opened
 *        ↑                  └──────────────────┴───────────────┴── failed or too late
 *        └─────────────────────────────────────────────────────────────┘
 * </pre>
 */
final class ActiveConnect implements CmListener, LinkOpenListener {
  /**
   * The limit of tried candidates, so that each has enough time. The next attempt begins with
   * another one.
   */
  private static final int MOST_TRIED = 8;

  private final Connections connections;
  private final LinkContext context;
  private final CmEvents events;
  private final DeviceAddresses addresses;
  private final CandidateOrder order;
  private final LinkOptions options;
  private final LinkDriver.ConnectHandler handler;
  private final byte[] bytes;
  private final Map<InetSocketAddress, String> failures = new HashMap<>();
  private @Nullable RdmaOffer offer;
  private List<InetSocketAddress> offered = List.of();

  /** The offered candidates that can be reached, best first, with the local address for each. */
  private final Map<InetSocketAddress, DeviceAddress> routes = new LinkedHashMap<>();

  private List<InetSocketAddress> candidates = List.of();

  private long deadline;
  private int next;
  private long candidateDeadline;
  private int candidateMillis;
  private @Nullable RdmaCmId id;
  private @Nullable RdmaLink link;
  private boolean started;
  private boolean known;

  ActiveConnect(
      Connections connections,
      DeviceAddresses addresses,
      CandidateOrder order,
      LinkOptions options,
      LinkDriver.ConnectHandler handler,
      byte[] offer) {
    this.connections = connections;
    this.context = connections.context;
    this.events = connections.events;
    this.addresses = addresses;
    this.order = order;
    this.options = options;
    this.handler = handler;
    this.bytes = offer;
  }

  boolean isKnown() {
    return known;
  }

  /** Begins, or notices that the time is over. Returns the amount of work done. */
  int step(long now) {
    if (!started) {
      started = true;
      deadline = now + options.connectTimeout().toNanos();
      start(now);
      return 1;
    }
    if (!known && now - candidateDeadline >= 0) {
      late();
      return 1;
    }
    return 0;
  }

  private void start(long now) {
    try {
      RdmaOffer decoded = RdmaOffer.decode(bytes);
      offer = decoded;
      offered = decoded.candidates();
      findRoutes();
      if (!routes.isEmpty()) {
        List<InetSocketAddress> ordered = order.of(reachable());
        candidates = ordered.subList(0, Math.min(MOST_TRIED, ordered.size()));
      }
      tryNext(now);
    } catch (LinkException e) {
      conclude(e);
    }
  }

  private void findRoutes() throws LinkException {
    Map<InetSocketAddress, DeviceAddress> far = new LinkedHashMap<>();
    String noAddress = "";
    try {
      List<DeviceAddress> all = addresses.now();
      boolean beside = !options.beside().isEmpty();
      List<DeviceAddress> own =
          beside ? DeviceAddresses.beside(all, RdmaAddress.of(options.beside())) : all;
      for (InetSocketAddress one : offered) {
        DeviceAddress from = DeviceAddresses.towards(one.getAddress(), own);
        if (!DeviceAddresses.reachesFar(one.getAddress())) {
          failures.put(one, "the address cannot be reached from another host");
        } else if (from == null) {
          noAddress = noAddress.isEmpty() ? noAddress() : noAddress;
          failures.put(one, noAddress);
        } else {
          (from.network().contains(one.getAddress()) ? routes : far).put(one, from);
        }
      }
      routes.putAll(far);
    } catch (IOException e) {
      throw new LinkException("the verbs devices cannot be queried: " + e.getMessage(), e);
    }
  }

  /** Looks at all devices. */
  private String noAddress() throws IOException {
    return addresses.problem().orElse("no verbs device here has an address of its family");
  }

  private List<InetSocketAddress> reachable() {
    return List.copyOf(routes.keySet());
  }

  private void tryNext() {
    tryNext(context.clock().nanoTime());
  }

  private void tryNext(long now) {
    while (next < candidates.size() && now - deadline < 0) {
      long share = (deadline - now) / (candidates.size() - next);
      candidateDeadline = now + share;
      candidateMillis = (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(share));
      InetSocketAddress candidate = candidates.get(next++);
      try {
        RdmaCmId made = events.createId(this);
        id = made;
        int trafficClass = context.settings().trafficClass();
        if (trafficClass >= 0) {
          VerbsCmId.of(made).setTrafficClass(trafficClass);
        }
        made.resolveAddr(source(candidate), candidate, candidateMillis);
        return;
      } catch (Throwable e) {
        candidateFailed(RdmaFailureText.of(e));
      }
    }
    if (!candidates.isEmpty()) {
      order.failed(reachable(), candidates);
    }
    conclude(new LinkException("no RDMA link to " + reasons(), null));
  }

  /**
   * Returns the local address to bind; null leaves it to the host's routes, if no device was
   * chosen.
   */
  private @Nullable InetSocketAddress source(InetSocketAddress candidate) {
    DeviceAddress from = routes.get(candidate);
    boolean any = addresses.choice().equals(DeviceChoice.ANY);
    return (any && options.beside().isEmpty()) || from == null
        ? null
        : new InetSocketAddress(from.address(), 0);
  }

  /**
   * Returns the reasons in the order of the offer. So equal failures have equal texts, wherever the
   * attempt began.
   */
  private String reasons() {
    StringJoiner reasons = new StringJoiner("; nor to ");
    for (InetSocketAddress one : offered) {
      String reason = failures.getOrDefault(one, "the time limit passed before it was tried");
      reasons.add(RdmaAddress.format(one) + ": " + reason);
    }
    return reasons.toString();
  }

  /**
   * Contains no number that differs between attempts, because it becomes part of a session's path.
   */
  private String inItsShare() {
    return " in its share of " + options.connectTimeout().toMillis() + " ms";
  }

  private String notResolved() {
    return "its address was not resolved" + inItsShare();
  }

  private void candidateFailed(String reason) {
    failures.put(candidates.get(next - 1), reason);
    RdmaCmId failed = id;
    id = null;
    if (failed != null) {
      events.destroy(failed);
    }
  }

  private void late() {
    // The end of the link has a time limit of its own.
    candidateDeadline = deadline + options.connectTimeout().toNanos();
    RdmaLink connecting = link;
    if (connecting != null) {
      connecting.abort("no answer" + inItsShare());
    } else {
      candidateFailed(notResolved());
      tryNext();
    }
  }

  @Override
  public void onCmEvent(EventType type, RdmaCmEvent event) {
    try {
      switch (type) {
        case RDMA_CM_EVENT_ADDR_RESOLVED -> event.getConnIdPriv().resolveRoute(candidateMillis);
        case RDMA_CM_EVENT_ROUTE_RESOLVED -> connect(event.getConnIdPriv());
        case RDMA_CM_EVENT_ADDR_ERROR -> throw new IOException(notResolved());
        default -> throw new IOException(ConnectionEvents.describe(type, event));
      }
    } catch (Throwable e) { // from the provider; it ends only this candidate
      candidateFailed(RdmaFailureText.of(e));
      tryNext();
    }
  }

  private void connect(RdmaCmId resolved) throws IOException {
    IbvContext verbs = resolved.getVerbs();
    if (verbs == null || offer == null) {
      throw new IOException("no verbs device leads there");
    }
    String device = VerbsContext.of(verbs).deviceName();
    int port = resolved.getPort_num();
    String objection = addresses.choice().objectionTo(device, port);
    if (!objection.isEmpty()) {
      throw new IOException(device + " port " + port + " leads there, which is " + objection);
    }
    DeviceAddress from = routes.get(candidates.get(next - 1));
    if (!options.beside().isEmpty() && from != null && !from.device().equals(device)) {
      throw new IOException(device + " leads there, and not " + from);
    }
    RdmaLink made = connections.open(resolved, offer.token(), options, this);
    made.setRails(this::rails);
    id = null; // owned by the link from here on
    link = made;
    try {
      resolved.connect(connections.parameters(resolved, made, offer.token()));
    } catch (Throwable e) {
      made.abort(RdmaFailureText.of(e));
    }
  }

  private int rails() {
    int most = context.settings().rails();
    try {
      return most == 1 ? 1 : Math.min(most, DeviceAddresses.adapters(addresses.now()));
    } catch (IOException e) {
      return 1;
    }
  }

  @Override
  public LinkListener opened(Link opened) {
    known = true;
    link = null;
    order.worked(reachable(), candidates.get(next - 1));
    return handler.onConnected(opened);
  }

  @Override
  public void failed(String reason) {
    if (!known) {
      link = null;
      candidateFailed(reason);
      tryNext();
    }
  }

  private void conclude(LinkException failure) {
    if (!known) {
      known = true;
      handler.onFailed(failure);
    }
  }

  /** Gives up, and reports the failure at once. */
  void abandon(String reason) {
    RdmaLink connecting = link;
    conclude(new LinkException("no RDMA link: " + reason, null));
    if (connecting != null) {
      connecting.abort(reason);
    } else if (id != null) {
      events.destroy(id);
      id = null;
    }
  }
}
