package io.verbena.core.link;

/** What is known of the life of memory that is handed to a link. */
public enum MemoryLife {
  /** A pool's, which hands it out again and again: it may stay pinned while it is not in use. */
  HELD,

  /**
   * The user's, who may use it again: it may stay pinned while it is not in use, until its scope
   * has ended, which links find out by and by.
   */
  LENT,

  /** Used this once: it is unpinned as soon as it is released. */
  ONCE
}
