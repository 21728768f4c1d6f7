package io.verbena.rdma.cm;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.rdma.link.LinkOpenListener;
import io.verbena.rdma.link.RdmaLink;
import org.jspecify.annotations.Nullable;

/** An offer and its connection, until the link is open or has failed. */
final class PassiveConnect implements LinkOpenListener {
  private final LinkOptions options;
  private final LinkDriver.ConnectHandler handler;

  /** The time by which the link must be open. */
  private final long deadline;

  private @Nullable RdmaLink link;
  private boolean known;

  PassiveConnect(LinkOptions options, LinkDriver.ConnectHandler handler, long deadline) {
    this.options = options;
    this.handler = handler;
    this.deadline = deadline;
  }

  LinkOptions options() {
    return options;
  }

  /** A peer connects with this offer. */
  void connecting(RdmaLink by) {
    link = by;
  }

  @Override
  public LinkListener opened(Link opened) {
    known = true;
    return handler.onConnected(opened);
  }

  @Override
  public void failed(String reason) {
    if (!known) {
      known = true;
      handler.onFailed(new LinkException("the offered RDMA link was not taken: " + reason, null));
    }
  }

  boolean isLate(long now) {
    return now - deadline >= 0;
  }

  boolean isKnown() {
    return known;
  }

  /** The offer has expired. */
  void expire() {
    RdmaLink under = link;
    if (under != null) {
      under.abort("it was not open in time");
    } else {
      failed("no peer connected in time");
    }
  }
}
