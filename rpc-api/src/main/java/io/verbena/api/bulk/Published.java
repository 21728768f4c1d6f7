package io.verbena.api.bulk;

import io.verbena.api.Peer;
import java.util.List;

/**
 * An object that the other end may fetch. Safe for use by any thread.
 *
 * <p>A link that pins memory pins the object's memory for the first fetch, and keeps it pinned for
 * the next. The memory is unpinned within a second after {@link #close()} or the end of the lease,
 * or with the last fetch if that ends later. If other transfers have sent the same memory since, it
 * is unpinned when they allow it.
 */
public interface Published extends AutoCloseable {
  /** Returns the reference, to be sent in a call. */
  ObjectRef ref();

  /**
   * Returns whether the object can still be fetched. False after {@link #close()} and after the end
   * of the lease.
   */
  boolean isAvailable();

  /** Returns the fetches in progress, oldest first. */
  List<Fetch> fetches();

  /**
   * Ends the publication. No new fetch can begin. The {@link #fetches} in progress continue, so
   * wait for them or cancel them before the memory is freed. Closing again does nothing.
   */
  @Override
  void close();

  /**
   * A peer's fetch of the object, or of a range of it.
   *
   * @param peer the fetching peer
   * @param transfer the transfer to that peer, to watch or cancel it. Its result has only a length
   */
  record Fetch(Peer peer, Transfer transfer) {}
}
