package io.verbena.core.link;

/** What is known of the life of memory that is handed to a link. */
public enum MemoryLife {
  /**
   * Its life is held: whoever frees it asks first, so it may stay pinned while it is not in use.
   */
  HELD,

  /** It may be freed as soon as it is released: it is unpinned by then. */
  BORROWED
}
