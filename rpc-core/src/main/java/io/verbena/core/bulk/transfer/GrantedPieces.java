package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.destination.LandingPiece;
import io.verbena.core.bulk.source.OpenSource;
import io.verbena.core.bulk.work.LimitedWait;
import io.verbena.core.bulk.work.RunOn;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.LinkException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What of an object's destination is open to its sender: pieces, in their order, on one path. When
 * the path is lost or another one is better, each is closed, fenced, and opened anew from where it
 * was confirmed. On the loop.
 */
final class GrantedPieces {
  private final BulkHost host;
  private final IncomingTransfer transfer;
  private final LimitedWait room;
  private final ArrayDeque<LandingPiece> pieces = new ArrayDeque<>();
  private @Nullable BulkPath path;
  private int generation;
  private long upTo;

  /** Pieces that are being fenced, and whatever else has to be waited for like that. */
  private int fences;

  /** What pieces wait for that were full when their path closed them. */
  private final ArrayDeque<Runnable> behindFences = new ArrayDeque<>();

  private long quarantined;

  /** None yet. */
  GrantedPieces(IncomingTransfer transfer) {
    this.host = transfer.host;
    this.transfer = transfer;
    this.room = new LimitedWait(host.loop(), transfer::moves);
  }

  /** Returns whether a piece is open now. */
  boolean isAnyOpen() {
    return !pieces.isEmpty() && pieces.getFirst().isOpen();
  }

  /** Returns whether the sender is fenced off whatever was closed. */
  boolean isFenced() {
    return fences == 0;
  }

  /** What comes before is there already; before anything is opened. */
  void beginAt(long offset) {
    upTo = offset;
  }

  // ---- opening ----

  /**
   * Goes where bulk goes now, and opens what can be opened there.
   *
   * @param limit where the object ends, or may end
   * @param one whether one piece is enough for now
   */
  void moveOn(long limit, boolean one) {
    BulkPath best = host.bulkPath();
    if (path != best) {
      changeTo(best);
    }
    BulkPath current = path;
    if (current != null) {
      openMore(current, limit, one);
    }
  }

  private void changeTo(@Nullable BulkPath best) {
    for (LandingPiece piece : pieces) {
      close(piece, () -> {});
    }
    path = null;
    if (best == null || fences > 0) {
      return; // the last fence moves on
    }
    if (upTo > 0) {
      host.bulkContext().counters().resumes();
    }
    generation++;
    path = best;
    if (!best.port().landsOnHeap()) {
      takeBackFromHeap();
    }
  }

  /** This path cannot write to the heap: what is still to come goes elsewhere. */
  private void takeBackFromHeap() {
    while (!pieces.isEmpty() && !pieces.getLast().memory().isNative()) {
      LandingPiece last = pieces.getLast();
      if (last.isFull()) {
        return;
      }
      pieces.removeLast();
      transfer.destination().takeBack(last);
      upTo = last.offset() + last.arrived();
      if (last.arrived() > 0) {
        pieces.add(last.arrivedPart());
      }
    }
  }

  private void openMore(BulkPath current, long limit, boolean one) {
    LandingPiece piece = nextToOpen(limit, one);
    while (piece != null && open(current, piece)) {
      piece = nextToOpen(limit, one);
    }
  }

  /** Returns the first piece that is not open; null if there is no memory for one more now. */
  private @Nullable LandingPiece nextToOpen(long limit, boolean one) {
    for (LandingPiece piece : pieces) {
      if (!piece.isOpen() && !piece.isFull()) {
        return piece;
      }
    }
    if (upTo >= limit || (one && !pieces.isEmpty())) {
      return null;
    }
    LandingPiece piece = transfer.destination().next(upTo);
    if (piece != null) {
      pieces.add(piece);
      upTo = piece.end();
    }
    return piece;
  }

  /** Opens a piece, or a shorter one in its place; false if none can be opened now. */
  private boolean open(BulkPath current, LandingPiece piece) {
    LandingPiece next = piece;
    room.tries();
    while (true) {
      try {
        OpenSource.requireAlive(next.memory());
        grant(current, next);
        room.ends();
        return true;
      } catch (TransferProblem | RuntimeException e) {
        transfer.broken(e);
        return false;
      } catch (LinkException e) {
        takeBackBehind(next);
        LandingPiece less = transfer.destination().shorter(next);
        if (less == null) {
          waitForRoom(e);
          return false;
        }
        pieces.removeLast();
        pieces.add(less);
        upTo = less.end();
        next = less;
      }
    }
  }

  /** Those behind were opened on a path before, which had room for them; no bytes are there yet. */
  private void takeBackBehind(LandingPiece piece) {
    while (pieces.getLast() != piece) {
      transfer.destination().takeBack(pieces.removeLast());
    }
    upTo = piece.end();
  }

  private void waitForRoom(LinkException why) {
    if (fences > 0 || isAnyOpen()) {
      return; // closing that moves on
    }
    if (!room.goesOn(why.shortage())) {
      transfer.broken(why);
    }
  }

  /** Where there was no room it is waited for from later on, if at all. */
  void forgetWait() {
    room.ends();
  }

  private void grant(BulkPath current, LandingPiece piece) throws LinkException {
    long from = piece.offset() + piece.arrived();
    byte[] advertisement = piece.open(current.port(), () -> arrived(piece));
    int currentGeneration = generation;
    host.sendBulk(
        FrameKind.BULK_GRANT,
        transfer.id,
        out -> {
          out.writeVarInt(currentGeneration);
          out.writeVarLong(from);
          out.writeVarLong(piece.end() - from);
          out.writeInt(current.epoch());
          out.writeBytes(advertisement);
        });
  }

  private void arrived(LandingPiece piece) {
    transfer.destination().arrives(piece);
    transfer.arrived();
  }

  /** Returns the first piece, which fills; null while there is none. */
  @Nullable LandingPiece head() {
    return pieces.peek();
  }

  /** Closes the first piece, which is full, if its path has not closed it before. */
  void closeHead(Runnable whenFenced) {
    LandingPiece head = pieces.remove();
    if (head.isOpen()) {
      close(head, whenFenced);
    } else {
      behindFences.add(whenFenced);
      runBehindFences();
    }
  }

  private void runBehindFences() {
    while (fences == 0 && !behindFences.isEmpty()) {
      behindFences.remove().run();
    }
  }

  // ---- closing ----

  private void close(LandingPiece piece, Runnable whenFenced) {
    if (!piece.isOpen()) {
      return;
    }
    fences++;
    piece.close(
        () -> {
          fences--;
          whenFenced.run();
          runBehindFences();
          transfer.moves();
        },
        transfer::lost);
  }

  /** Closes all; what there is counts as quarantined until {@link #free}. */
  void closeAll() {
    pieces.forEach(piece -> quarantined += piece.memory().byteSize());
    host.bulkContext().counters().quarantined(quarantined);
    room.ends();
    fences++; // or the first to be fenced at once would take itself for the last
    pieces.forEach(piece -> close(piece, () -> {}));
    fences--;
  }

  /** All is fenced: its memory may be used for something else. */
  void free() {
    pieces.clear();
    host.bulkContext().counters().quarantined(-quarantined);
  }

  /** A path is closed; returns whether these were on it. */
  boolean pathClosed(BulkPath closed) {
    if (path != closed) {
      return false;
    }
    LandingPiece head = pieces.peek();
    if (head != null && head.memory().isMapped()) {
      readWhatWasWritten(head, closed.port().windowBytes());
    }
    return true;
  }

  /**
   * A link that cannot write into memory, as where a mapped file has become shorter, is lost, and
   * so would be each one after it: what may have been under way is read here, before it is granted
   * again.
   */
  private void readWhatWasWritten(LandingPiece piece, long most) {
    MemorySegment open =
        piece
            .memory()
            .asSlice(piece.arrived(), Math.min(most, piece.memory().byteSize() - piece.arrived()));
    fences++;
    RunOn.FILES.run(
        host,
        () -> OpenSource.requireReadable(open),
        failure -> {
          fences--;
          runBehindFences();
          if (failure != null) {
            transfer.broken(failure);
          } else {
            transfer.moves();
          }
        });
  }
}
