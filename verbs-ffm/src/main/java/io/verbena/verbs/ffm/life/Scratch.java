package io.verbena.verbs.ffm.life;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Eight native bytes for the out-parameter of a call that is made often, mostly by one thread: that
 * one allocates nothing, a second one at the same time takes other bytes.
 */
public final class Scratch {
  private static final int BYTES = 8;

  private final MemorySegment own = Arena.ofAuto().allocate(BYTES, BYTES);
  private final AtomicBoolean taken = new AtomicBoolean();

  /** Takes eight bytes; their content is anything. */
  public MemorySegment take() {
    return taken.compareAndSet(false, true) ? own : Arena.ofAuto().allocate(BYTES, BYTES);
  }

  /** Gives them back. */
  public void give(MemorySegment bytes) {
    if (bytes == own) {
      taken.set(false);
    }
  }
}
