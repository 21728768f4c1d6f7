package io.verbena.shm;

import static io.verbena.shm.RingFile.LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * The sending half of a ring. The peer sees new records once they are {@linkplain #publish
 * published}, all at once: the first word of the first of them is written last.
 *
 * <pre>
 *   consumed           published           written
 *     | for the peer      | not yet seen      | 0 | free
 * </pre>
 *
 * <p>After the last record there is always room for one more word: 0, or the mark of a closed link.
 */
final class OutRing {
  /** If both ends run, there is room after far fewer looks. */
  private static final int MANY_LOOKS = 1_000;

  private final MemorySegment memory;
  private final ByteBuffer bytes;
  private final long base;
  private final long capacity;
  private final long consumedAt;
  private final long wantsRoomAt;
  private long written;
  private long published;

  /** The first word of the first record that is not published; 0 if there is none. */
  private long held;

  /** The peer's position, as far as this end has seen it. */
  private long consumed;

  /** The bytes in use at which the refused owner is notified of room; -1 if none was refused. */
  private long waitsFor = -1;

  private boolean frameWaits;

  /** The bytes in use up to which bulk may be put in. */
  private long bulkMost;

  /** The number of looks for room since the owner was refused. */
  private int looks;

  OutRing(RingFile file, boolean active) {
    this.memory = file.memory;
    this.bytes = memory.asByteBuffer();
    this.base = file.ring(active);
    this.capacity = file.ringBytes;
    this.consumedAt = RingFile.consumed(!active);
    this.wantsRoomAt = RingFile.wantsRoom(active);
    this.bulkMost = capacity / 4;
  }

  /** Returns the length limit of a frame in a ring. */
  static int longestFrame(int ringBytes) {
    return ringBytes / 4 - 2 * Records.HEADER_BYTES;
  }

  /** Puts a frame into the ring; false if there is no room now. */
  boolean frame(ByteBuffer frame, int length) {
    if (frameWaits || !hasRoom(length)) {
      frameWaits = true; // shorter frames must not overtake it
      waitsFor = capacity / 2;
      return false;
    }
    bytes.put((int) claim(length), frame, 0, length);
    commit(Records.FRAME, length);
    return true;
  }

  /**
   * Puts a piece of bulk into the ring, as several records. Each is published at once, so that the
   * peer reads one while the next is written. If both ends run, bulk may use a quarter of the ring:
   * with more it would not be faster, and each frame would wait for it. If this end has slept until
   * there was room, or looked for it {@value #MANY_LOOKS} times, processors are scarce and each
   * turn takes long. Bulk may then use three quarters, unless a frame waits for room.
   *
   * @return false if there is no room now
   * @throws IllegalArgumentException if the piece is too long for the ring
   */
  boolean piece(
      long target, long at, boolean checkpoint, MemorySegment from, long offset, int length) {
    long most = capacity / 32;
    long records = (length + most - 1) / most;
    long needs = length + (records + 1) * (Records.bytes(Records.PIECE_HEADER_BYTES) + 8) + most;
    if (needs > capacity) {
      throw new IllegalArgumentException(
          length + " bytes at once by a ring of " + capacity + "; write them by pieces");
    }
    refresh();
    if (written != consumed
        && written - consumed + needs > (frameWaits ? capacity / 4 : bulkMost)) {
      waitsFor = Math.max(waitsFor, capacity / 8);
      return false;
    }
    int done = 0;
    while (done < length) {
      int part = (int) Math.min(most, length - done);
      long place = claim(Records.PIECE_HEADER_BYTES + part);
      memory.set(ValueLayout.JAVA_LONG, place, target);
      memory.set(ValueLayout.JAVA_LONG, place + 8, at + done);
      MemorySegment.copy(from, offset + done, memory, place + Records.PIECE_HEADER_BYTES, part);
      done += part;
      boolean told = checkpoint && done == length;
      commit(told ? Records.CHECKPOINT : Records.PIECE, Records.PIECE_HEADER_BYTES + part);
      publish();
    }
    return true;
  }

  /**
   * Returns whether a record fits, with one more word after it, and with a skip if it does not fit
   * before the ring's end.
   */
  private boolean hasRoom(int length) {
    long size = Records.bytes(length);
    long rest = capacity - (written & (capacity - 1));
    long needs = size + (size > rest ? rest : 0) + Records.HEADER_BYTES;
    if (written - consumed + needs <= capacity) {
      return true;
    }
    refresh();
    return written - consumed + needs <= capacity;
  }

  /** Reads the peer's position, and checks it. */
  private void refresh() {
    long now = (long) LONG.getAcquire(memory, consumedAt);
    if (now < consumed || now > published) {
      throw new BrokenRing(
          "the peer reports that it has consumed %d of %d bytes, after it had reported %d"
              .formatted(now, published, consumed));
    }
    consumed = now;
  }

  /** Returns the offset of the next record's content. */
  private long claim(int length) {
    long rest = capacity - (written & (capacity - 1));
    if (Records.bytes(length) > rest) {
      // Later steps may fail before the record is committed.
      memory.set(ValueLayout.JAVA_LONG, base, 0L);
      header(Records.of(Records.SKIP, (int) rest - Records.HEADER_BYTES));
      written += rest;
    }
    return base + (written & (capacity - 1)) + Records.HEADER_BYTES;
  }

  private void commit(int kind, int length) {
    long next = written + Records.bytes(length);
    memory.set(ValueLayout.JAVA_LONG, base + (next & (capacity - 1)), 0L);
    header(Records.of(kind, length));
    written = next;
  }

  private void header(long record) {
    if (held == 0) {
      held = record;
    } else {
      memory.set(ValueLayout.JAVA_LONG, base + (written & (capacity - 1)), record);
    }
  }

  /** Publishes new records to the peer; false if there are none. */
  boolean publish() {
    if (held == 0) {
      return false;
    }
    LONG.setRelease(memory, base + (published & (capacity - 1)), held);
    published = written;
    held = 0;
    return true;
  }

  /** Ends the ring after the published records; others are lost. */
  void end(int kind) {
    LONG.setRelease(memory, base + (published & (capacity - 1)), Records.of(kind, 0));
  }

  /** Returns whether there is room again for the owner that was refused; true once. */
  boolean hasRoomAgain() {
    if (!seesRoom()) {
      looks = waitsFor < 0 ? 0 : looks + 1;
      return false;
    }
    waitsFor = -1;
    frameWaits = false;
    bulkMost = looks < MANY_LOOKS ? capacity / 4 : capacity / 4 * 3;
    looks = 0;
    return true;
  }

  /** Returns whether the owner was refused, and there is room by now. */
  boolean seesRoom() {
    if (waitsFor < 0) {
      return false;
    }
    refresh();
    return written - consumed <= waitsFor;
  }

  /** Before this end sleeps: sets the peer's position at which the peer must wake it. */
  void sendRoom() {
    looks = waitsFor < 0 ? 0 : MANY_LOOKS;
    LONG.setOpaque(memory, wantsRoomAt, waitsFor < 0 ? Long.MAX_VALUE : written - waitsFor);
  }
}
