package io.verbena.link;

/** A range of the peer's memory that it has opened for this end; {@link BulkPort#remote}. */
public interface RemoteTarget {
  /** Returns how many bytes it takes. */
  long length();
}
