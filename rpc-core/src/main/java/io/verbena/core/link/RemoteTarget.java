package io.verbena.core.link;

/** A range of the peer's memory that it has opened for this end; {@link BulkPort#remote}. */
public interface RemoteTarget {
  /** Returns how many bytes it takes. */
  long length();

  /**
   * Has the next write begin at its beginning again: the peer has rewound its {@link BulkTarget}.
   */
  void rewind();
}
