package io.verbena.rdma.link;

import io.verbena.core.link.Link;
import io.verbena.core.link.LinkListener;

/** Who waits for a link to open; hears one of the two, once. */
public interface Opening {
  /** The link is open. Returns who listens to it. */
  LinkListener opened(Link link);

  /** There is no link, and nothing of it is left. */
  void failed(String reason);
}
