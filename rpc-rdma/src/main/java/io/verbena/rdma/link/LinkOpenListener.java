package io.verbena.rdma.link;

import io.verbena.core.link.Link;
import io.verbena.core.link.LinkListener;

/** Waits for a link to open; hears one of the two, once. */
public interface LinkOpenListener {
  /** The link is open. Returns the listener of the link. */
  LinkListener opened(Link link);

  /** There is no link, and nothing of it is left. */
  void failed(String reason);
}
