package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.destination.LandingPiece;
import io.verbena.core.bulk.source.OpenSource;
import io.verbena.core.bulk.work.TransferProblem;

/**
 * What comes into a landing that stands open, and is copied to where it belongs when all is there.
 * On the loop.
 */
final class StandingCopy {
  private final StandingLandings.Landing landing;

  StandingCopy(StandingLandings.Landing landing) {
    this.landing = landing;
  }

  /** Returns how many bytes are in the landing. */
  long arrived() {
    return landing.arrived();
  }

  /** Fills a piece of the object's memory. */
  void fill(LandingPiece piece) throws TransferProblem {
    OpenSource.requireAlive(piece.memory());
    piece.memory().copyFrom(landing.memory(piece.offset(), piece.memory().byteSize()));
  }

  /** All is where it belongs. The landing is free again, if the peer hears of that. */
  void leave(boolean peerHears) {
    if (peerHears) {
      landing.giveBack();
    } else {
      landing.drop(); // the peer has given it up, too
    }
  }

  /** What has come, or still comes, is not wanted. */
  void drop() {
    landing.drop();
  }
}
