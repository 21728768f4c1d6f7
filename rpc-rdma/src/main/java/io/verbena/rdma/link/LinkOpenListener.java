package io.verbena.rdma.link;

import io.verbena.link.Link;
import io.verbena.link.LinkListener;

/** Waits for a link to open; hears one of the two, once. */
public interface LinkOpenListener {
  /** The link is open. Returns the listener of the link. */
  LinkListener opened(Link link);

  /** There is no link, and nothing of it is left. */
  void failed(String reason);
}
