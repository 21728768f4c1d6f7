package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.link.LinkOptions;
import io.verbena.link.Secret;
import io.verbena.rdma.link.LinkContext;
import io.verbena.rdma.link.LinkOpenListener;
import io.verbena.rdma.link.RdmaLink;
import io.verbena.rdma.wire.Greeting;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsCmId;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The objects that both ends of a driver's connections share, and all links of the driver, from the
 * creation of their queue pair until nothing of them is left.
 */
final class Connections {
  final LinkContext context;
  final CmEvents events;
  final LoopDevices devices;
  private final Set<RdmaLink> links = new LinkedHashSet<>();

  Connections(LinkContext context, CmEvents events, LoopDevices devices) {
    this.context = context;
    this.events = events;
    this.devices = devices;
  }

  /**
   * Makes the link of a connection, which gets the events of the id from now on. If it fails, the
   * id is unchanged.
   *
   * @param token the token that an acceptance must repeat; null on the passive end
   */
  RdmaLink open(RdmaCmId id, @Nullable Secret token, LinkOptions options, LinkOpenListener opening)
      throws IOException {
    IbvContext verbs = id.getVerbs();
    if (verbs == null) {
      throw new IOException("no verbs device here has that address");
    }
    RdmaLink[] made = new RdmaLink[1];
    made[0] =
        new RdmaLink(
            context,
            devices.of(verbs),
            id,
            options,
            RdmaAddress.format(id.getDestination()),
            RdmaAddress.format(id.getSource()),
            opening,
            () -> {
              events.forget(id);
              links.remove(made[0]);
            });
    links.add(made[0]);
    events.hand(id, new ConnectionEvents(made[0], token, context.counters()));
    return made[0];
  }

  /** Returns the parameters of a link for this end's connection request or acceptance. */
  ConnectionParameters parameters(RdmaCmId id, RdmaLink link, Secret token) throws IOException {
    try {
      VerbsCmId.of(id).setAckTimeout(context.settings().ackTimeout());
    } catch (VerbsException e) {
      if (e.errno() != Errno.ENOSYS) {
        throw e;
      }
      // Linux before 5.1: the connection manager's own timeout must do.
    }
    ConnectionParameters parameters = new ConnectionParameters();
    parameters.privateData(new Greeting(token, link.terms()).encode());
    parameters.setResponder_resources(ConnectionParameters.GREATEST_DEPTH);
    parameters.setInitiator_depth(ConnectionParameters.GREATEST_DEPTH);
    return parameters;
  }

  boolean isEmpty() {
    return links.isEmpty();
  }

  /** Returns whether a link is still sending something to its peer. */
  boolean someSend() {
    return links.stream().anyMatch(RdmaLink::isSending);
  }

  List<RdmaLink> all() {
    return List.copyOf(links);
  }
}
