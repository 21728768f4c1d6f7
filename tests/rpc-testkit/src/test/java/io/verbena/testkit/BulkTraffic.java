package io.verbena.testkit;

import io.verbena.link.BulkRegion;
import io.verbena.link.LinkException;
import io.verbena.link.SendResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Several transfers one way over one link, in random pieces, with frames between them that say what
 * must have arrived before.
 */
final class BulkTraffic {
  private final Random random;
  private final BulkEnd from;
  private final BulkEnd to;
  private final List<BulkEnd.Landed> targets = new ArrayList<>();
  private final List<BulkRegion> sources = new ArrayList<>();
  private final List<BulkEnd.Written> writers = new ArrayList<>();
  private final Set<Integer> finished = new HashSet<>();
  private int framesSent;
  private int framesHeard;

  BulkTraffic(long seed, BulkEnd from, BulkEnd to, int transfers) throws LinkException {
    this.random = new Random(seed);
    this.from = from;
    this.to = to;
    for (int i = 0; i < transfers; i++) {
      long length = 1L + random.nextInt(1 << random.nextInt(1, 20));
      targets.add(to.target(length));
      sources.add(from.filled(length, seed + i));
      writers.add(from.to(targets.get(i), sources.get(i)));
    }
    to.end().heard().onFrame(this::check);
  }

  /** A frame says: of this transfer, so much had been written, with a checkpoint, before it. */
  private void check(byte[] frame) {
    ByteBuffer said = ByteBuffer.wrap(frame);
    BulkEnd.Landed target = targets.get(said.getInt());
    long upTo = said.getLong();
    if (target.upTo() < upTo) {
      throw new AssertionError("a frame overtook bulk: " + target.upTo() + " before " + upTo);
    }
    framesHeard++;
  }

  /** Writes until there is no room, or a random while; returns whether all has been written. */
  boolean writeOn() {
    for (int turns = random.nextInt(20); turns > 0 && finished.size() < writers.size(); turns--) {
      int index = random.nextInt(writers.size());
      BulkEnd.Written writer = writers.get(index);
      if (writer.isWhole()) {
        continue;
      }
      long left = sources.get(index).memory().byteSize() - writer.at();
      long piece = 1L + random.nextInt(2 * from.port().chunkBytes());
      boolean checkpoint = piece >= left || random.nextInt(4) == 0;
      if (writer.write(piece, checkpoint) != SendResult.SENT) {
        break;
      }
      if (writer.isWhole()) {
        finished.add(index);
      }
      if (checkpoint) {
        say(index, writer.at());
      }
    }
    from.end().link().flush();
    return finished.size() == writers.size();
  }

  private void say(int index, long upTo) {
    byte[] frame = ByteBuffer.allocate(12).putInt(index).putLong(upTo).array();
    if (from.end().send(frame) == SendResult.SENT) {
      framesSent++;
    }
  }

  /** Returns whether everything has arrived and every source is free again. */
  boolean isOver() {
    for (int i = 0; i < targets.size(); i++) {
      if (!targets.get(i).isWhole() || writers.get(i).pending() > 0) {
        return false;
      }
    }
    return framesHeard == framesSent;
  }

  /** Returns whether what arrived is what was written. */
  boolean arrivedWhole() {
    for (int i = 0; i < targets.size(); i++) {
      if (!Arrays.equals(targets.get(i).content(), from.content(sources.get(i).memory()))) {
        return false;
      }
    }
    return true;
  }

  /** Closes every target and lets go of every source; returns how many fences are awaited. */
  void close(Runnable eachFenced) {
    targets.forEach(landed -> landed.target().close(eachFenced));
    sources.forEach(BulkRegion::release);
  }

  int transfers() {
    return targets.size();
  }

  BulkEnd to() {
    return to;
  }
}
