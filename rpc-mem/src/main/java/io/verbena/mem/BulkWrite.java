package io.verbena.mem;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One piece of bulk on its way. The receiving end copies it straight from the sender's memory into
 * its own; the sender may take its memory away before, from a thread of its own.
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

  /** Receiver: copies the piece; false if the sender has taken it away. */
  synchronized boolean copyTo(MemorySegment memory) {
    MemorySegment from = source;
    if (from == null) {
      return false;
    }
    memory.copyFrom(from);
    return true;
  }

  /** Receiver: has no more use for the sender's memory. */
  synchronized void done() {
    source = null;
    done = true;
  }

  /** Sender: whether its memory is not read any more. */
  boolean isDone() {
    return done;
  }

  /** Sender: its memory may go at once, and the piece with it. */
  synchronized void withdraw() {
    source = null;
  }

  /** Sender: its memory may go at once, and the piece is still to arrive. */
  synchronized void keep() {
    if (source != null) {
      source = MemorySegment.ofArray(new byte[(int) length]).copyFrom(source);
    }
  }
}
