package io.verbena.core.transfer;

import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Memory that is read for sending, attached to one path after another. Long memory is attached in
 * pieces, each only while it is read, because a path may have less room than an object needs.
 */
final class Attached {
  final MemorySegment memory;
  private final MemoryLife life;
  private final List<Place> places = new ArrayList<>(1);
  private int underWay;
  private Runnable whenFree = () -> {};
  private boolean retired;

  private static final class Place {
    final BulkPath path;
    final BulkRegion region;
    final long from;
    int underWay;

    Place(BulkPath path, BulkRegion region, long from) {
      this.path = path;
      this.region = region;
      this.from = from;
    }

    boolean covers(long offset, int length) {
      return offset >= from && offset + length <= from + region.memory().byteSize();
    }
  }

  Attached(MemorySegment memory, MemoryLife life) {
    this.memory = memory;
    this.life = life;
  }

  /** Writes a piece that begins at this offset of the memory. */
  SendResult write(
      BulkPath path, RemoteTarget target, Supply.Piece piece, long offset, Runnable whenOver)
      throws LinkException, TransferProblem {
    OpenSource.requireAlive(memory);
    Place place = on(path, offset, piece.length());
    BulkPath.Flight flight =
        path.fly(
            piece.length(),
            () -> {
              underWay--;
              place.underWay--;
              whenOver.run();
              freeIfRetired();
            });
    SendResult result =
        path.port.write(
            target,
            piece.targetAt(),
            place.region,
            offset - place.from,
            piece.length(),
            piece.checkpoint(),
            flight);
    if (result == SendResult.SENT) {
      underWay++;
      place.underWay++;
      flight.sent();
    }
    return result;
  }

  private Place on(BulkPath path, long offset, int length) throws LinkException {
    for (Place place : places) {
      if (place.path == path && place.covers(offset, length)) {
        return place;
      }
    }
    releaseUnused(path);
    Place place = attach(path, offset, length);
    places.add(place);
    return place;
  }

  /**
   * Attaches all of the memory or one piece of it. If the path has no room for that, a shorter
   * piece is attached.
   */
  private Place attach(BulkPath path, long offset, int length) throws LinkException {
    long from = memory.byteSize() <= BulkPath.PIECE_BYTES ? 0 : offset;
    long bytes = Math.min(memory.byteSize() - from, Math.max(length, BulkPath.PIECE_BYTES));
    while (true) {
      try {
        return new Place(path, path.port.attach(memory.asSlice(from, bytes), life), from);
      } catch (LinkException e) {
        long least = Math.max(length, BulkPort.LEAST_PIECE_BYTES);
        if (bytes <= least) {
          throw e;
        }
        from = offset;
        bytes = Math.min(memory.byteSize() - from, Math.max(bytes / 2, least));
      }
    }
  }

  /** Releases the unused pieces of this path. Other paths may continue with theirs. */
  private void releaseUnused(BulkPath path) {
    for (Iterator<Place> all = places.iterator(); all.hasNext(); ) {
      Place place = all.next();
      if (place.underWay == 0 && (place.path == path || place.path.isClosed())) {
        all.remove();
        place.region.release();
      }
    }
  }

  /** Ends the use of the memory. The callback runs when nothing reads it any more. */
  void retire(Runnable whenFree) {
    this.whenFree = whenFree;
    retired = true;
    freeIfRetired();
  }

  private void freeIfRetired() {
    if (retired && underWay == 0) {
      retired = false;
      places.forEach(place -> place.region.release());
      places.clear();
      whenFree.run();
    }
  }
}
