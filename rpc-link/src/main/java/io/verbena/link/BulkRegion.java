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
    @Override
    public void release() {}
  }
}
