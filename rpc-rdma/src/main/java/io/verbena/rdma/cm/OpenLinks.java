package io.verbena.rdma.cm;

import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.link.LinkOptions;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.link.LinkContext;
import io.verbena.rdma.link.LinkOpenListener;
import io.verbena.rdma.link.RdmaLink;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** All links of a driver, from the creation of their queue pair until nothing of them is left. */
final class OpenLinks {
  private final LinkContext context;
  private final CmEvents events;
  private final Set<RdmaLink> links = new LinkedHashSet<>();

  OpenLinks(LinkContext context, CmEvents events) {
    this.context = context;
    this.events = events;
  }

  /** Makes the link of a connection. If it fails, the id is unchanged. */
  RdmaLink open(RdmaDevice device, RdmaCmId id, LinkOptions options, LinkOpenListener opening)
      throws IOException {
    RdmaLink[] made = new RdmaLink[1];
    made[0] =
        new RdmaLink(
            context,
            device,
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
    return made[0];
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
