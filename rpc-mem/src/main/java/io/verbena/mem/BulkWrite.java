package io.verbena.mem;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A piece of bulk that is on its way. The receiving end copies it directly from the sender's memory
 * into its own. The sender may withdraw its memory before, from its own thread.
 */
final class BulkWrite {
  final long target;
  final long at;
  final long length;
  final boolean checkpoint;
  final Runnable whenWritten;
  private @Nullable MemorySegment source;
  private volatile boolean done;

  BulkWrite(long target, long at, MemorySegment source, boolean checkpoint, Runnable whenWritten) {
    this.target = target;
    this.at = at;
    this.length = source.byteSize();
    this.source = source;
    this.checkpoint = checkpoint;
    this.whenWritten = whenWritten;
  }

  /** Receiver: copies the piece; false if the sender has withdrawn it. */
  synchronized boolean copyTo(MemorySegment memory) {
    MemorySegment from = source;
    if (from == null) {
      return false;
    }
    memory.copyFrom(from);
    return true;
  }

  /** Receiver: does not need the sender's memory any more. */
  synchronized void done() {
    source = null;
    done = true;
  }

  /** Sender: returns whether its memory is not read any more. */
  boolean isDone() {
    return done;
  }

  /** Sender: withdraws the memory and the piece at once. */
  synchronized void withdraw() {
    source = null;
  }

  /** Sender: withdraws the memory at once; the piece still arrives, from a copy. */
  synchronized void keep() {
    if (source != null) {
      source = MemorySegment.ofArray(new byte[(int) length]).copyFrom(source);
    }
  }
}
