package io.verbena.rdma.link;

import io.verbena.link.Link;
import io.verbena.link.LinkListener;

/** Waits for a link to open. Exactly one of the two methods is called, once. */
public interface LinkOpenListener {
  /** The link is open. Returns the listener of the link. */
  LinkListener opened(Link link);

  /** The link has failed, and nothing of it is left. */
  void failed(String reason);
}
