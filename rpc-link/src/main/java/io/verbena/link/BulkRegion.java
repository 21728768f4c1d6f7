package io.verbena.link;

import java.lang.foreign.MemorySegment;

/** Memory that a link can write from and into. On the link's event loop. */
public interface BulkRegion {
  /** Returns the memory. */
  MemorySegment memory();

  /**
   * The owner has no more use for it: the link lets go of it, now or, where it {@linkplain
   * MemoryLife#mayStay may stay}, maybe later. To be called when no write from it is under way and
   * every target in it is fenced.
   */
  void release();

  /** Memory of which a link that only copies has nothing to let go of. */
  record Plain(MemorySegment memory) implements BulkRegion {
    /**
     * Returns a region of memory that lives, and that the calling thread may reach.
     *
     * @throws LinkException if it is not so; the message says what to do
     */
    public static Plain of(MemorySegment memory) throws LinkException {
      if (!memory.scope().isAlive()) {
        throw new LinkException(
            "the memory was freed: keep its arena open until the transfer has ended", null);
      }
      if (!memory.isAccessibleBy(Thread.currentThread())) {
        throw new LinkException(
            "the memory belongs to another thread alone: allocate it in Arena.ofShared() or"
                + " Arena.ofAuto()",
            null);
      }
      return new Plain(memory);
    }

    @Override
    public void release() {}
  }
}
