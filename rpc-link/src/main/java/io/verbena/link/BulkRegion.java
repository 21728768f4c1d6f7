package io.verbena.link;

import java.lang.foreign.MemorySegment;

/** Memory that a link can write from and into. Its methods are called on the link's event loop. */
public interface BulkRegion {
  /** Returns the memory. */
  MemorySegment memory();

  /**
   * Releases the memory. The link unpins it now, or perhaps later if it {@linkplain
   * MemoryLife#mayStay may stay} pinned. Call it when no write from the region is in progress and
   * every target in it is fenced.
   */
  void release();

  /** Memory for a link that only copies and has nothing to release. */
  record Plain(MemorySegment memory) implements BulkRegion {
    /**
     * Returns a region of memory.
     *
     * @throws LinkException if the memory was freed or belongs to another thread; the message gives
     *     the remedy
     */
    public static Plain of(MemorySegment memory) throws LinkException {
      if (!memory.scope().isAlive()) {
        throw new LinkException(
            "the memory was freed: keep its arena open until the transfer has ended", null);
      }
      if (!memory.isAccessibleBy(Thread.currentThread())) {
        throw new LinkException(
            "the memory is confined to another thread: allocate it in Arena.ofShared() or"
                + " Arena.ofAuto()",
            null);
      }
      return new Plain(memory);
    }

    @Override
    public void release() {}
  }
}
