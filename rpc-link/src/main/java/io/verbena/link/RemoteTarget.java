package io.verbena.link;

/** A range of memory that the peer has opened for this end. See {@link BulkPort#remote}. */
public interface RemoteTarget {
  /** Returns its length in bytes. */
  long length();
}
