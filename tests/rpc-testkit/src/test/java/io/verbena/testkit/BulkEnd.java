package io.verbena.testkit;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Random;

/** One end of a link under test, as what bulk is written from and into. */
final class BulkEnd {
  private final LinkEnd end;
  private final LinkHarness harness;
  private final SteppedLinks links;
  private final EndMemory memory;

  BulkEnd(LinkEnd end, LinkHarness harness, SteppedLinks links) {
    this.end = end;
    this.links = links;
    this.harness = harness;
    this.memory = harness.memoryOf(end.link());
  }

  /** Returns this end's memory, which is to be closed after the link. */
  EndMemory memory() {
    return memory;
  }

  LinkEnd end() {
    return end;
  }

  BulkPort port() {
    BulkPort port = end.link().bulk();
    if (port == null) {
      throw new AssertionError("this link moves no bulk");
    }
    return port;
  }

  /** Attaches memory of this length that the test holds to its end. */
  BulkRegion region(long length) throws LinkException {
    return port().attach(memory.allocate(length), MemoryLife.HELD);
  }

  /** Attaches memory filled with random bytes. */
  BulkRegion filled(long length, long seed) throws LinkException {
    BulkRegion region = region(length);
    fill(region.memory(), seed);
    return region;
  }

  /** Opens all of a new region for the peer. */
  Landed target(long length) throws LinkException {
    return target(region(length), 0, length);
  }

  Landed target(BulkRegion region, long offset, long length) throws LinkException {
    Landed landed = new Landed(region.memory().asSlice(offset, length));
    landed.target = port().open(region, offset, length, landed::arrived);
    harness.targetOpened();
    return landed;
  }

  Written to(Landed landed, BulkRegion source) throws LinkException {
    return to(landed.advertisement(), source);
  }

  Written to(byte[] advertisement, BulkRegion source) throws LinkException {
    return new Written(port().remote(ByteBuffer.wrap(advertisement)), source);
  }

  /** Fills memory of this end with random bytes. */
  void fill(MemorySegment part, long seed) {
    byte[] bytes = new byte[(int) part.byteSize()];
    new Random(seed).nextBytes(bytes);
    MemorySegment.copy(bytes, 0, part, ValueLayout.JAVA_BYTE, 0, bytes.length);
    memory.put(part);
  }

  /** Fills memory of this end with one byte. */
  void wipe(MemorySegment part, byte value) {
    part.fill(value);
    memory.put(part);
  }

  /** Returns what memory of this end holds now. */
  byte[] content(MemorySegment part) {
    memory.get(part);
    return part.toArray(ValueLayout.JAVA_BYTE);
  }

  /** A target, with what was heard of it. */
  final class Landed {
    private final MemorySegment memory;
    private BulkTarget target;
    private long upTo;

    @SuppressWarnings("NullAway.Init") // by whoever opens it, at once
    private Landed(MemorySegment memory) {
      this.memory = memory;
    }

    private void arrived(long now) {
      if (now <= upTo || now > memory.byteSize()) {
        throw new AssertionError("arrived up to " + now + " after " + upTo);
      }
      upTo = now;
    }

    byte[] advertisement() {
      byte[] advertisement = target.advertisement();
      if (advertisement.length > 64) {
        throw new AssertionError("an advertisement of " + advertisement.length + " bytes");
      }
      return advertisement;
    }

    BulkTarget target() {
      return target;
    }

    MemorySegment memory() {
      return memory;
    }

    long upTo() {
      return upTo;
    }

    boolean isWhole() {
      return upTo == memory.byteSize();
    }

    /** Returns what it holds now. */
    byte[] content() {
      return BulkEnd.this.content(memory);
    }
  }

  /** A write into one target of the peer's, from a region of the same length. */
  final class Written {
    private final RemoteTarget target;
    private final BulkRegion source;
    private long at;
    private int pending;

    private Written(RemoteTarget target, BulkRegion source) {
      this.target = target;
      this.source = source;
    }

    RemoteTarget target() {
      return target;
    }

    long at() {
      return at;
    }

    int pending() {
      return pending;
    }

    boolean isWhole() {
      return at == source.memory().byteSize();
    }

    /** Writes the next piece, or what is left if that is less. */
    SendResult write(long length, boolean checkpoint) {
      int piece = (int) Math.min(length, source.memory().byteSize() - at);
      boolean[] returned = new boolean[1];
      SendResult result =
          port()
              .write(
                  target,
                  at,
                  source,
                  at,
                  piece,
                  checkpoint,
                  () -> {
                    if (!returned[0]) {
                      throw new AssertionError("said to be written before write returned");
                    }
                    pending--;
                  });
      returned[0] = true;
      if (result == SendResult.SENT) {
        at += piece;
        pending++;
      }
      return result;
    }

    /** Writes a piece as soon as there is room for it, and flushes. */
    void writeNow(long length, boolean checkpoint) {
      links.stepUntil(
          "room for a piece", () -> write(length, checkpoint) != SendResult.BACK_PRESSURED);
      end.link().flush();
    }

    /** Writes all that there is room for, with a checkpoint at the end. */
    void writeOn() {
      long chunk = port().chunkBytes();
      while (!isWhole()) {
        boolean last = source.memory().byteSize() - at <= chunk;
        if (write(chunk, last) != SendResult.SENT) {
          break;
        }
      }
      end.link().flush();
    }
  }
}
