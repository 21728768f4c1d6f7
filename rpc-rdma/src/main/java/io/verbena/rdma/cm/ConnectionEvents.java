package io.verbena.rdma.cm;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_REJECTED;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.verbena.link.LinkException;
import io.verbena.link.Secret;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaFailureText;
import io.verbena.rdma.link.RdmaLink;
import io.verbena.rdma.wire.Greeting;
import io.verbena.rdma.wire.RdmaRefusal;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.Errno;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Translates the events of a connection for its link. */
final class ConnectionEvents implements CmListener {
  /** Reasons of a rejection (InfiniBand specification, 12.6.7.2). */
  private static final int NO_SUCH_SERVICE = 8;

  private static final int CONSUMER_DEFINED = 28;

  private final RdmaLink link;

  /** The token that the acceptance must repeat; null at the passive end. */
  private final @Nullable Secret token;

  private final RdmaCounters counters;

  ConnectionEvents(RdmaLink link, @Nullable Secret token, RdmaCounters counters) {
    this.link = link;
    this.token = token;
    this.counters = counters;
  }

  @Override
  public void onCmEvent(EventType type, RdmaCmEvent event) {
    switch (type) {
      case RDMA_CM_EVENT_ESTABLISHED -> established(event);
      case RDMA_CM_EVENT_DISCONNECTED ->
          link.disconnected("the peer closed the connection without a farewell");
      case RDMA_CM_EVENT_REJECTED -> link.disconnected(rejection(event));
      case RDMA_CM_EVENT_DEVICE_REMOVAL -> link.device().removed();
      case RDMA_CM_EVENT_TIMEWAIT_EXIT -> {}
      default -> link.disconnected(describe(type, event));
    }
  }

  private void established(RdmaCmEvent event) {
    if (token != null && link.isConnecting()) {
      try {
        Greeting greeting = Greeting.decode(ConnectionParameters.privateData(event));
        if (!greeting.token().equals(token)) {
          counters.unknownTokens.increment();
          link.disconnected("the end that accepted the connection did not make the offer");
          return;
        }
        link.peerTerms(greeting.terms());
      } catch (LinkException e) {
        counters.unknownTokens.increment();
        link.disconnected(String.valueOf(e.getMessage()));
        return;
      } catch (Throwable e) { // from the provider; it ends only this link
        link.disconnected(RdmaFailureText.of(e));
        return;
      }
    }
    link.established();
  }

  private static String rejection(RdmaCmEvent event) {
    int status = event.getStatus();
    ByteBuffer data = ConnectionParameters.privateData(event);
    // On iWARP the status is an error number; only private data distinguishes a refusal.
    if (status == CONSUMER_DEFINED || (status < 0 && data.hasRemaining())) {
      return "the peer refused: " + RdmaRefusal.decode(data);
    }
    return status == NO_SUCH_SERVICE || status == -Errno.ECONNREFUSED
        ? "nothing listens there"
        : describe(RDMA_CM_EVENT_REJECTED, event);
  }

  static String describe(EventType type, RdmaCmEvent event) {
    String what = type.name().substring("RDMA_CM_EVENT_".length());
    return "the connection manager reports " + what + " (status " + event.getStatus() + ")";
  }
}
