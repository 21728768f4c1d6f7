package io.verbena.api.bulk;

import io.verbena.api.Peer;
import java.util.List;

/**
 * An object that the other end may fetch. Safe for use by any thread.
 *
 * <p>Links that pin memory pin its own when it is fetched, and keep it pinned for the next fetch.
 * It is unpinned within a second of its {@linkplain #close() close} or the end of its lease, or
 * with the last of its fetches if they last longer; memory that was sent otherwise since, when that
 * allows.
 */
public interface Published extends AutoCloseable {
  /** Returns its name, to be sent in a call. */
  ObjectRef ref();

  /** Returns whether it can still be fetched: neither closed nor its lease at an end. */
  boolean isAvailable();

  /** Returns who fetches it now, oldest first. Those that are over are not among them. */
  List<Fetch> fetches();

  /**
   * Takes it back. Those of {@link #fetches} go on to their end, so wait for them, or cancel them,
   * before its memory is freed; nobody can begin another. Closing again does nothing.
   */
  @Override
  void close();

  /**
   * A peer's fetch of it, or of a range of it.
   *
   * @param peer who fetches it
   * @param transfer its way there, to be watched or cancelled; its result is its length alone
   */
  record Fetch(Peer peer, Transfer transfer) {}
}
