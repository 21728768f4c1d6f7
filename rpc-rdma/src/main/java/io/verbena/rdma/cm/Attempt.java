package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.LinkOptions;
import io.verbena.rdma.link.LinkContext;
import io.verbena.rdma.link.Opening;
import io.verbena.rdma.link.RdmaLink;
import io.verbena.rdma.wire.Greeting;
import io.verbena.rdma.wire.Offer;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.VerbsCmId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The active end: connects by an offer, one candidate after the other. Resolving one may take its
 * share of the time that is left; connecting may take all of it, since the request uses the token
 * up, and no other candidate would take it any more.
 *
 * <pre>
 *   next candidate → resolving address → resolving route → connecting (a link waits) → opened
 *        ↑                  └──────────────────┴───────────────┴── failed or too late
 *        └─────────────────────────────────────────────────────────────┘
 * </pre>
 */
final class Attempt implements CmListener, Opening {
  private final LinkContext context;
  private final CmEvents events;
  private final Devices devices;
  private final OpenLinks links;
  private final LinkOptions options;
  private final LinkDriver.ConnectHandler handler;
  private final byte[] bytes;
  private final List<String> failures = new ArrayList<>();
  private @Nullable Offer offer;
  private long deadline;
  private int next;
  private long candidateDeadline;
  private long candidateMillis;
  private @Nullable RdmaCmId id;
  private @Nullable RdmaLink link;
  private boolean started;
  private boolean known;

  Attempt(
      LinkContext context,
      CmEvents events,
      Devices devices,
      OpenLinks links,
      LinkOptions options,
      LinkDriver.ConnectHandler handler,
      byte[] offer) {
    this.context = context;
    this.events = events;
    this.devices = devices;
    this.links = links;
    this.options = options;
    this.handler = handler;
    this.bytes = offer;
  }

  boolean isKnown() {
    return known;
  }

  /** Begins, or notices that time is over; returns how much was done. */
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
      offer = Offer.decode(bytes);
      tryNext(now);
    } catch (LinkException e) {
      conclude(e);
    }
  }

  private void tryNext() {
    tryNext(context.clock().nanoTime());
  }

  private void tryNext(long now) {
    while (offer != null && next < offer.candidates().size()) {
      int left = offer.candidates().size() - next;
      candidateMillis = Math.max(1, TimeUnit.NANOSECONDS.toMillis((deadline - now) / left));
      candidateDeadline = now + TimeUnit.MILLISECONDS.toNanos(candidateMillis);
      InetSocketAddress candidate = offer.candidates().get(next++);
      try {
        RdmaCmId made = events.createId(this);
        id = made;
        made.resolveAddr(null, candidate, (int) candidateMillis);
        return;
      } catch (IOException e) {
        candidateFailed(String.valueOf(e.getMessage()));
      }
    }
    conclude(new LinkException("no RDMA link to " + String.join("; nor to ", failures), null));
  }

  private void candidateFailed(String reason) {
    if (offer != null && next > 0) {
      failures.add(RdmaAddress.format(offer.candidates().get(next - 1)) + ": " + reason);
    }
    RdmaCmId failed = id;
    id = null;
    if (failed != null) {
      events.destroy(failed);
    }
  }

  private void late() {
    String reason = "no answer within " + candidateMillis + " ms";
    candidateDeadline = deadline + options.connectTimeout().toNanos(); // a link's end is bounded
    RdmaLink connecting = link;
    if (connecting != null) {
      connecting.abort(reason);
    } else {
      candidateFailed(reason);
      tryNext();
    }
  }

  @Override
  public void onCmEvent(EventType type, RdmaCmEvent event) {
    try {
      switch (type) {
        case RDMA_CM_EVENT_ADDR_RESOLVED ->
            event.getConnIdPriv().resolveRoute((int) candidateMillis);
        case RDMA_CM_EVENT_ROUTE_RESOLVED -> connect(event.getConnIdPriv());
        case RDMA_CM_EVENT_ADDR_ERROR ->
            throw new IOException("its address was not resolved within " + candidateMillis + " ms");
        default -> throw new IOException(Linked.describe(type, event));
      }
    } catch (IOException e) {
      candidateFailed(String.valueOf(e.getMessage()));
      tryNext();
    }
  }

  private void connect(RdmaCmId resolved) throws IOException {
    IbvContext verbs = resolved.getVerbs();
    if (verbs == null || offer == null) {
      throw new IOException("no verbs device leads there");
    }
    RdmaLink made = links.open(devices.of(verbs), resolved, options, this);
    id = null; // the link's from here on
    link = made;
    candidateDeadline = deadline;
    candidateMillis = options.connectTimeout().toMillis();
    events.hand(resolved, new Linked(made, offer.token()));
    try {
      VerbsCmId.of(resolved).setAckTimeout(context.settings().ackTimeout());
      ConnectionParameters parameters = new ConnectionParameters();
      parameters.privateData(new Greeting(offer.token(), made.terms()).encode());
      resolved.connect(parameters);
    } catch (IOException e) {
      made.abort(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public LinkListener opened(Link opened) {
    known = true;
    link = null;
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

  /** Gives up; the outcome is told at once. */
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
