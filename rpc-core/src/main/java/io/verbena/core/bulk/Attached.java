package io.verbena.core.bulk;

import io.verbena.core.link.BulkRegion;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.link.RemoteTarget;
import io.verbena.core.link.SendResult;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Memory that is written from, as attached to one path after another. */
final class Attached {
  private final MemorySegment memory;
  private final MemoryLife life;
  private final List<Place> places = new ArrayList<>(1);
  private int underWay;
  private Runnable whenFree = () -> {};
  private boolean retired;

  private record Place(BulkPath path, BulkRegion region) {}

  Attached(MemorySegment memory, MemoryLife life) {
    this.memory = memory;
    this.life = life;
  }

  MemorySegment memory() {
    return memory;
  }

  /** Writes a piece that begins there in this memory. */
  SendResult write(
      BulkPath path, RemoteTarget target, Supply.Piece piece, long offset, Runnable whenOver)
      throws LinkException, TransferProblem {
    OpenSource.requireAlive(memory);
    BulkPath.Flight flight =
        path.fly(
            piece.length(),
            () -> {
              underWay--;
              whenOver.run();
              freeIfRetired();
            });
    SendResult result =
        path.port()
            .write(
                target,
                piece.targetAt(),
                on(path),
                offset,
                piece.length(),
                piece.checkpoint(),
                flight);
    if (result instanceof SendResult.Sent) {
      underWay++;
      flight.sent();
    }
    return result;
  }

  private BulkRegion on(BulkPath path) throws LinkException {
    for (Place place : places) {
      if (place.path == path) {
        return place.region;
      }
    }
    Place place = new Place(path, path.port().attach(memory, life));
    places.add(place);
    return place.region;
  }

  /** It is written from no more; hears when nothing reads it any more. */
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
