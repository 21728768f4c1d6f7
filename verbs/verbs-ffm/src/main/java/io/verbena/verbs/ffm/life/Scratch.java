package io.verbena.verbs.ffm.life;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Eight native bytes for the out-parameter of a frequent call. One thread at a time allocates
 * nothing; a second thread at the same time gets other bytes.
 */
public final class Scratch {
  private static final int BYTES = 8;

  private final MemorySegment own = Arena.ofAuto().allocate(BYTES, BYTES);
  private final AtomicBoolean taken = new AtomicBoolean();

  /** Takes eight bytes with undefined content. */
  public MemorySegment take() {
    return taken.compareAndSet(false, true) ? own : Arena.ofAuto().allocate(BYTES, BYTES);
  }

  /** Returns the bytes to this object. */
  public void give(MemorySegment bytes) {
    if (bytes == own) {
      taken.set(false);
    }
  }
}
