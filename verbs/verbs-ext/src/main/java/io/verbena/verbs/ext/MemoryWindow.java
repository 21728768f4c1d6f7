package io.verbena.verbs.ext;

import java.io.IOException;

/**
 * A type 2 memory window. It opens part of a registered region to the peer of one queue pair, until
 * it is invalidated.
 *
 * <p>A {@link SendOpcode#BIND_MW} request binds it, with an rkey of the owner's choice. The upper
 * 24 bits of the rkey identify the window, and the low 8 bits are a counter, which {@link
 * #nextRkey()} increments. An invalidated window can be bound again; a bound one must be
 * invalidated first. Owned by one thread.
 */
public interface MemoryWindow {
  /** Returns the rkey of the latest binding, or the one from allocation. */
  int rkey();

  /**
   * Increments the low 8 bits, so that the rkey of the last binding becomes stale. Returns the new
   * {@link #rkey()}, for the next bind request.
   */
  int nextRkey();

  /**
   * Returns the provider's token of this window, which {@link SendBlock#bind} puts into a request.
   */
  long handle();

  /**
   * Frees the window, and invalidates it if it is still bound. Fails with EBADF the second time.
   */
  void deallocate() throws IOException;
}
