package io.verbena.shm;

import static io.verbena.shm.RingFile.LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * The sending half of a ring. What is put in is seen by the peer once it is {@linkplain #publish
 * published}, all at once: the first word of the first new record is written last.
 *
 * <pre>
 *   consumed           published           written
 *     | for the peer      | not yet seen      | 0 | free
 * </pre>
 *
 * <p>Behind the last record there is always room for one more word: 0, or that the link is closed.
 */
final class OutRing {
  /** Between ends that both run, room comes sooner by far. */
  private static final int MANY_LOOKS = 1_000;

  private final MemorySegment memory;
  private final ByteBuffer bytes;
  private final long base;
  private final long capacity;
  private final long consumedAt;
  private final long wantsRoomAt;
  private long written;
  private long published;

  /** The first word of the first record that is not published; 0 where there is none. */
  private long held;

  /** As far as this end has seen. */
  private long consumed;

  /** How much may be in use when the owner, who was turned back, is told of room; -1 for nobody. */
  private long waitsFor = -1;

  private boolean frameWaits;

  /** How much may be in use for bulk to be put in. */
  private long bulkMost;

  /** How often this end has looked for room since its owner was turned back. */
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

  /** Returns the longest frame that a ring takes. */
  static int longestFrame(int ringBytes) {
    return ringBytes / 4 - 2 * Records.HEADER_BYTES;
  }

  /** Puts a frame in; false where there is no room now. */
  boolean frame(ByteBuffer frame, int length) {
    if (frameWaits || !hasRoom(length)) {
      frameWaits = true; // shorter ones do not overtake it
      waitsFor = capacity / 2;
      return false;
    }
    bytes.put((int) claim(length), frame, 0, length);
    commit(Records.FRAME, length);
    return true;
  }

  /**
   * Puts a piece of bulk in, as several records, and publishes each: so the peer reads one while
   * the next is written. Bulk has a quarter of the ring between ends that both run: more of it
   * would not be faster, and each frame would wait for it. Where this end slept until there was
   * room, or looked for it {@value #MANY_LOOKS} times, processors are short, and each turn takes
   * long: it has three quarters, unless a frame waits for room.
   *
   * @return false where there is no room now
   * @throws IllegalArgumentException if there never is
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

  /** Whether a record fits, though the end of the ring be before it, and a word behind it. */
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

  /** Looks how far the peer is, which may say anything. */
  private void refresh() {
    long now = (long) LONG.getAcquire(memory, consumedAt);
    if (now < consumed || now > published) {
      throw new BrokenRing(
          "the peer says that it has consumed %d bytes, of %d, and %d before"
              .formatted(now, published, consumed));
    }
    consumed = now;
  }

  /** Returns where the content of the next record goes. */
  private long claim(int length) {
    long rest = capacity - (written & (capacity - 1));
    if (Records.bytes(length) > rest) {
      memory.set(ValueLayout.JAVA_LONG, base, 0L); // what follows may fail before it is committed
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

  /** Has the peer see what was put in; false where there was nothing new. */
  boolean publish() {
    if (held == 0) {
      return false;
    }
    LONG.setRelease(memory, base + (published & (capacity - 1)), held);
    published = written;
    held = 0;
    return true;
  }

  /** Ends the ring behind what is published; what is not gets lost. */
  void end(int kind) {
    LONG.setRelease(memory, base + (published & (capacity - 1)), Records.of(kind, 0));
  }

  /** Returns whether there is room again for whom was turned back; says so once. */
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

  /** Returns whether somebody was turned back, and there is room by now. */
  boolean seesRoom() {
    if (waitsFor < 0) {
      return false;
    }
    refresh();
    return written - consumed <= waitsFor;
  }

  /** This end is about to sleep: says for how much room to wake it. */
  void sayWhatRoom() {
    looks = waitsFor < 0 ? 0 : MANY_LOOKS;
    LONG.setOpaque(memory, wantsRoomAt, waitsFor < 0 ? Long.MAX_VALUE : written - waitsFor);
  }
}
