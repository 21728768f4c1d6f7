package io.verbena.shm;

import static io.verbena.shm.RingFile.LONG;

import java.lang.foreign.MemorySegment;

/**
 * The receiving half of a ring. The peer may write anything into it at any time. So each word is
 * read once, and {@link #next} checks it.
 */
final class InRing {
  private final MemorySegment memory;
  private final long base;
  private final long capacity;
  private final long consumedAt;
  private final long peersWantAt;
  private long head;
  private long told;
  private long looked;

  InRing(RingFile file, boolean active) {
    this.memory = file.memory;
    this.base = file.ring(!active);
    this.capacity = file.ringBytes;
    this.consumedAt = RingFile.consumed(active);
    this.peersWantAt = RingFile.wantsRoom(!active);
  }

  boolean isEmpty() {
    return (long) LONG.getAcquire(memory, base + (head & (capacity - 1))) == 0;
  }

  long capacity() {
    return capacity;
  }

  /** Returns the number of all bytes taken so far. */
  long taken() {
    return head;
  }

  /**
   * Returns the next record, which is complete; 0 if there is none.
   *
   * @throws BrokenRing if the record is invalid
   */
  long next() {
    long at = head & (capacity - 1);
    long record = (long) LONG.getAcquire(memory, base + at);
    if (record == 0) {
      return 0;
    }
    int kind = Records.kind(record);
    int length = Records.length(record);
    boolean makesSense =
        length >= 0
            && at + Records.bytes(length) <= capacity
            && switch (kind) {
              case Records.FRAME -> length > 0;
              case Records.PIECE, Records.CHECKPOINT -> length > Records.PIECE_HEADER_BYTES;
              case Records.SKIP -> at + Records.bytes(length) == capacity;
              case Records.CLOSED, Records.ABORTED -> length == 0;
              default -> false;
            };
    if (!makesSense) {
      throw new BrokenRing(
          "the peer wrote a record of kind %d with %d bytes, %d bytes before the ring's end"
              .formatted(kind, length, capacity - at));
    }
    return record;
  }

  /** Returns the offset of the next record's content in the memory. */
  long content() {
    return base + (head & (capacity - 1)) + Records.HEADER_BYTES;
  }

  /** Takes the next record. The peer may overwrite it from now on, or soon. */
  void take(long record) {
    head += Records.bytes(Records.length(record));
    if (head - told >= capacity / 32) {
      tell();
    }
  }

  /** Publishes this end's position to the peer. */
  void tell() {
    if (head != told) {
      told = head;
      LONG.setRelease(memory, consumedAt, head);
    }
  }

  /**
   * Returns whether to check if the peer sleeps until there is room. Once for each sixteenth of the
   * ring is enough: a peer that falls asleep later has seen all but a sixteenth free, and does not
   * wait for more.
   */
  boolean isTimeToLook() {
    return head - looked >= capacity / 16;
  }

  /**
   * Returns whether the peer must be woken for the room that there is now. Needs a fence before.
   */
  boolean givesWantedRoom() {
    looked = head;
    return head >= (long) LONG.getOpaque(memory, peersWantAt);
  }
}
