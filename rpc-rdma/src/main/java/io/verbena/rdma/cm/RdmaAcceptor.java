package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.Secret;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.DeviceAddresses;
import io.verbena.rdma.RdmaFailureText;
import io.verbena.rdma.link.LinkContext;
import io.verbena.rdma.link.RdmaLink;
import io.verbena.rdma.wire.Greeting;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.rdma.wire.RdmaRefusal;
import io.verbena.rdma.wire.UpgradeRequest;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.VerbsCmId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The passive end: it makes offers, and accepts connection requests that carry the token of an
 * offer. Every other request is rejected before anything is made for it.
 */
final class RdmaAcceptor implements CmListener {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaAcceptor.class);
  private static final ThrottledLog REJECTED =
      ThrottledLog.of(RdmaAcceptor.class, "RDMA connection requests that were rejected");
  private static final ThrottledLog NOT_OPENED =
      ThrottledLog.of(RdmaAcceptor.class, "RDMA links that could not be opened");

  /**
   * A token lives twice the time limit: one for the offer's way to the peer, one for the request's
   * way back. Connecting has its own.
   */
  private static final int OFFER_LIVES = 2;

  private final Connections connections;
  private final LinkContext context;
  private final Listeners listeners;
  private final OfferTokens tokens;

  /** Accepted requests whose link is not open yet. */
  private final List<PassiveConnect> accepted = new ArrayList<>();

  RdmaAcceptor(Connections connections, DeviceAddresses addresses) {
    this.connections = connections;
    this.context = connections.context;
    this.listeners = new Listeners(addresses, connections.events, this);
    this.tokens = new OfferTokens(context.counters());
  }

  byte[] offer(byte[] request, URI local, LinkOptions options, LinkDriver.ConnectHandler handler)
      throws LinkException {
    int most = UpgradeRequest.candidates(request);
    List<InetSocketAddress> candidates =
        listeners.candidates(local, most, RdmaAddress.of(options.beside()));
    // Now, because opening a device takes time, and a connected peer would wait for it.
    openDevices();
    long life = options.connectTimeout().toNanos() * OFFER_LIVES;
    PassiveConnect connect =
        new PassiveConnect(options, handler, context.clock().nanoTime() + life);
    Secret token = tokens.offer(connect);
    return new RdmaOffer(token, candidates).encode();
  }

  private void openDevices() throws LinkException {
    try {
      for (IbvContext device : listeners.devices()) {
        connections.devices.of(device);
      }
    } catch (Throwable e) {
      throw new LinkException("a verbs device cannot be opened: " + RdmaFailureText.of(e), e);
    }
  }

  boolean isIdle() {
    return tokens.isEmpty() && accepted.isEmpty();
  }

  int expire(long now) {
    int work = 0;
    for (PassiveConnect over : tokens.expire(now)) {
      over.expire();
      work++;
    }
    for (PassiveConnect one : accepted) {
      if (!one.isKnown() && one.isLate(now)) {
        one.expire();
        work++;
      }
    }
    accepted.removeIf(one -> one.isKnown() || one.isLate(now)); // a link tells of its end itself
    return work;
  }

  @Override
  public void onCmEvent(EventType type, RdmaCmEvent event) {
    switch (type) {
      case RDMA_CM_EVENT_CONNECT_REQUEST -> requested(event);
      case RDMA_CM_EVENT_DEVICE_REMOVAL -> listeners.closeRemoved();
      default -> LOG.debug("A listener received the event {}", type);
    }
  }

  private void requested(RdmaCmEvent event) {
    RdmaCmId id = event.getConnIdPriv();
    Greeting greeting;
    try {
      greeting = Greeting.decode(ConnectionParameters.privateData(event));
    } catch (LinkException e) {
      context.counters().unknownTokens.increment();
      reject(id, String.valueOf(e.getMessage()));
      return;
    }
    PassiveConnect connect = tokens.redeem(greeting.token());
    if (connect == null) {
      if (tokens.wasMade(greeting.token())) {
        REJECTED.info(
            "A connection request from {} was rejected: {}. This also happens when a peer tries"
                + " another address because its first request took long",
            peer(id),
            "its token was used before or has expired");
        reject(id, "the token was used before or has expired");
      } else {
        REJECTED.warn(
            "A connection request from {} was rejected: {}", peer(id), "it had no valid token");
        reject(id, "the token is not valid");
      }
      return;
    }
    String peer = peer(id); // before the rejection destroys the id
    try {
      accept(id, greeting, connect);
    } catch (Throwable e) { // from the provider; it ends only this request
      NOT_OPENED.warn(
          "The RDMA link from {} cannot be opened (or the peer has given up its request meanwhile,"
              + " and will ask again): {}",
          peer,
          RdmaFailureText.of(e));
      connect.failed(RdmaFailureText.of(e));
    }
  }

  private void accept(RdmaCmId id, Greeting greeting, PassiveConnect connect) throws IOException {
    RdmaLink link = open(id, connect);
    connect.connecting(link);
    accepted.add(connect);
    try {
      link.peerTerms(greeting.terms());
      id.accept(connections.parameters(id, link, greeting.token()));
      link.accepted();
    } catch (Throwable e) {
      tellRejection(id, RdmaFailureText.of(e));
      link.abort(RdmaFailureText.of(e));
    }
  }

  /** Opens the link of a request, or rejects the request. */
  private RdmaLink open(RdmaCmId id, PassiveConnect connect) throws IOException {
    try {
      return connections.open(id, null, connect.options(), connect);
    } catch (Throwable e) {
      reject(id, RdmaFailureText.of(e));
      throw e;
    }
  }

  private void reject(RdmaCmId id, String reason) {
    tellRejection(id, reason);
    connections.events.destroy(id);
  }

  private static void tellRejection(RdmaCmId id, String reason) {
    try {
      VerbsCmId.of(id).reject(RdmaRefusal.encode(reason));
    } catch (Throwable e) {
      LOG.debug("A connection request cannot be rejected: {}", RdmaFailureText.of(e));
    }
  }

  private static String peer(RdmaCmId id) {
    try {
      return RdmaAddress.format(id.getDestination());
    } catch (IOException e) {
      return "an unknown peer";
    }
  }

  /** Refuses further peers, and notifies those that wait for a link. */
  void close() {
    listeners.close();
    tokens.withdraw().forEach(one -> one.failed("the driver was closed"));
  }
}
