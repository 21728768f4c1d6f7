package io.verbena.verbs.ext;

import java.io.IOException;

/**
 * A type 2 memory window: opens part of a registered region to the peer of one queue pair, until it
 * is invalidated.
 *
 * <p>It is bound by a {@link SendOpcode#BIND_MW} request with an rkey of the owner's choice: the
 * upper 24 bits are this window's, the low 8 count. {@link #nextRkey()} counts. An invalidated
 * window can be bound again; a bound one must be invalidated first. Owned by one thread.
 */
public interface MemoryWindow {
  /** The rkey of the latest binding, or the one given at allocation. */
  int rkey();

  /**
   * Counts the low 8 bits up, so that the last binding's rkey is stale, and returns the new {@link
   * #rkey()}, to be put in the next bind request.
   */
  int nextRkey();

  /** What {@link SendBlock#bind} puts in a request: the provider's token of this window. */
  long handle();

  /** Frees it; a window still bound is invalidated by that. Fails with EBADF the second time. */
  void deallocate() throws IOException;
}
