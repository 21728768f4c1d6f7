package io.verbena.core.transfer;

import io.verbena.api.wire.WireOut;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What of an object's destination is open to its sender: pieces, in their order. When a path of
 * theirs is lost or another one is better, each is closed, fenced, and opened anew from where the
 * object was confirmed. On the loop.
 *
 * <p>Where there are several paths, short pieces are dealt out to them, a few to each at a time.
 * The next one goes to the path that will have brought it first, as fast as it has been so far; to
 * a slower one that has room only if the others take as long for all that is left. So all are busy,
 * and none is waited for at the end.
 */
final class GrantedPieces {
  /** Where there are several paths: one piece fills, and the next is open when it is full. */
  private static final int MOST_FILLING = 2;

  private final SessionImpl session;
  private final IncomingTransfer transfer;
  private final ArrayDeque<LandingPiece> pieces = new ArrayDeque<>();

  /** What pieces of this generation are open on; the first is the one that calls take. */
  private List<BulkPath> paths = List.of();

  private int generation;
  private long upTo;

  /** Pieces that are being fenced, and whatever else has to be waited for like that. */
  private int fences;

  /** First pieces that were full and are closed, in their order. */
  private final ArrayDeque<LandingPiece> full = new ArrayDeque<>();

  /** Grants that the sender is not told of yet, in their order. */
  private final ArrayDeque<Grant> untold = new ArrayDeque<>();

  private long quarantined;

  /** What the sender is to be told of a piece that is open, or being opened. */
  private static final class Grant {
    final Consumer<WireOut> body;
    boolean mayBeTold;

    Grant(Consumer<WireOut> body) {
      this.body = body;
    }
  }

  GrantedPieces(IncomingTransfer transfer) {
    this.session = transfer.session;
    this.transfer = transfer;
  }

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
    List<BulkPath> now = session.bulkPaths();
    if (now != paths) {
      if (!paths.isEmpty() && now.containsAll(paths)) {
        paths = now; // there are more than before
      } else {
        changeTo(now);
      }
    }
    if (!paths.isEmpty()) {
      if (limit - upTo >= session.bulkContext().railsFrom()) {
        session.wantsPaths();
      }
      openMore(limit, one);
    }
  }

  private void changeTo(List<BulkPath> now) {
    LandingPiece first = pieces.peek();
    pieces.forEach(this::close);
    paths = List.of();
    untold.clear();
    if (now.isEmpty() || fences > 0) {
      return; // the last fence moves on
    }
    for (LandingPiece piece : pieces) {
      if (piece != first) {
        piece.restart(); // what came of it by a path of its own came before what is missing
      }
    }
    if (upTo > 0) {
      session.bulkContext().counters().resumes();
    }
    generation++;
    paths = now;
    if (!now.getFirst().port().landsOnHeap()) {
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
      transfer.destination().takeBack(last);
      last.endHere();
      upTo = last.end();
      if (last.arrived() == 0) {
        pieces.removeLast();
      }
    }
  }

  private void openMore(long limit, boolean one) {
    LandingPiece piece = nextToOpen(limit, one);
    while (piece != null) {
      BulkPath by =
          one
              ? pathOfFrames()
              : paths.size() == 1 ? paths.getFirst() : pathFor(piece, limit - piece.offset());
      if (by == null || !open(by, piece)) {
        return;
      }
      piece = nextToOpen(limit, one);
    }
  }

  /**
   * What is granted before the object is offered has to be known to the peer before its request is:
   * it goes where frames go, or waits for the offer.
   */
  private @Nullable BulkPath pathOfFrames() {
    BulkPath first = paths.getFirst();
    return session.carriesFrames(first) ? first : null;
  }

  /**
   * Returns the path that a piece is to come by; null if none of them is to have one more now.
   *
   * @param left so much of the object is not granted
   */
  private @Nullable BulkPath pathFor(LandingPiece piece, long left) {
    long now = session.loop().now();
    double known = 0;
    double all = 0;
    long awaited = 0;
    for (BulkPath one : paths) {
      known = Math.max(known, one.rate(now));
      awaited += one.awaited();
    }
    if (known == 0) {
      known = 1; // none is known: as if they were alike
    }
    for (BulkPath one : paths) {
      all += rate(one, now, known);
    }
    BulkPath best = null;
    double bestTime = Double.MAX_VALUE;
    BulkPath free = null;
    double freeTime = Double.MAX_VALUE;
    for (BulkPath one : paths) {
      double time = (one.awaited() + piece.memory().byteSize()) / rate(one, now, known);
      if (time < bestTime) {
        best = one;
        bestTime = time;
      }
      if (time < freeTime && filling(one) < MOST_FILLING) {
        free = one;
        freeTime = time;
      }
    }
    if (free == null || free == best) {
      return free;
    }
    double others = (awaited - free.awaited() + left) / (all - rate(free, now, known));
    return freeTime <= others ? free : null;
  }

  /** One that is not known is tried as if it were the best. */
  private static double rate(BulkPath path, long now, double known) {
    double rate = path.rate(now);
    return rate == 0 ? known : rate;
  }

  private int filling(BulkPath path) {
    int filling = 0;
    for (LandingPiece piece : pieces) {
      filling += piece.isOn(path) && !piece.isFull() ? 1 : 0;
    }
    return filling;
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
    boolean dealt = paths.size() > 1 && !one;
    long most = dealt ? session.bulkContext().railPieceBytes() : BulkPath.PIECE_BYTES;
    LandingPiece piece = transfer.destination().next(upTo, most);
    if (piece != null) {
      pieces.add(piece);
      upTo = piece.end();
    }
    return piece;
  }

  /** Opens a piece, or makes it shorter; false if it cannot be opened now. */
  private boolean open(BulkPath current, LandingPiece piece) {
    transfer.wait.tries();
    while (true) {
      try {
        OpenSource.requireAlive(piece.memory());
        grant(current, piece);
        transfer.wait.ends();
        return true;
      } catch (TransferProblem | RuntimeException e) {
        transfer.broken(e);
        return false;
      } catch (LinkException e) {
        if (opensElsewhere(current, piece)) {
          transfer.wait.ends();
          return true;
        }
        takeBackBehind(piece);
        if (!transfer.destination().halves(piece)) {
          waitForRoom(e);
          return false;
        }
        upTo = piece.end();
      }
    }
  }

  /** A path that has no room now does not keep the others waiting. */
  private boolean opensElsewhere(BulkPath full, LandingPiece piece) {
    for (BulkPath one : paths) {
      if (one != full) {
        try {
          grant(one, piece);
          return true;
        } catch (LinkException e) {
          // nor has this one
        }
      }
    }
    return false;
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
    if (!transfer.wait.goesOn(why.shortage())) {
      transfer.broken(why);
    }
  }

  private void grant(BulkPath current, LandingPiece piece) throws LinkException {
    long from = piece.offset() + piece.arrived();
    long length = piece.end() - from;
    BulkTarget target = piece.open(current, session.loop(), () -> arrived(piece));
    int currentGeneration = generation;
    Grant grant =
        new Grant(
            out -> {
              out.writeVarInt(currentGeneration);
              out.writeVarLong(from);
              out.writeVarLong(length);
              out.writeInt(current.epoch());
              out.writeBytes(target.advertisement());
            });
    untold.add(grant);
    if (session.carriesFrames(current)) {
      mayTell(grant);
    } else {
      target.whenOpen(() -> mayTell(grant));
    }
  }

  /** The sender would find it open; it is told of grants in their order. */
  private void mayTell(Grant grant) {
    grant.mayBeTold = true;
    Grant first = untold.peek();
    while (first != null && first.mayBeTold) {
      session.sendBulk(FrameKind.BULK_GRANT, transfer.id, untold.remove().body);
      first = untold.peek();
    }
  }

  private void arrived(LandingPiece piece) {
    if (piece == pieces.peek()) { // others may have to come again
      transfer.destination().arrives(piece);
    }
    boolean goesOn = piece.isFull() && piece != pieces.peek();
    transfer.arrived();
    if (goesOn) {
      transfer.moves(); // its path has room for another
    }
  }

  /** Returns the first piece, which fills; null while there is none. */
  @Nullable LandingPiece head() {
    return pieces.peek();
  }

  /** Closes the first piece, which is full, if its path has not closed it before. */
  void closeHead() {
    LandingPiece head = pieces.remove();
    full.add(head);
    close(head);
    handOver();
  }

  /** What is full and fenced is the destination's: in its order, whichever path fences first. */
  private void handOver() {
    LandingPiece first = full.peek();
    while (first != null && first.isFenced()) {
      transfer.destination().filled(full.remove());
      first = full.peek();
    }
  }

  // ---- closing ----

  private void close(LandingPiece piece) {
    if (!piece.isOpen()) {
      return;
    }
    fences++;
    piece.close(
        () -> {
          fences--;
          handOver();
          transfer.moves();
        },
        transfer::lost);
  }

  /** Closes all; what there is counts as quarantined until {@link #free}. */
  void closeAll() {
    pieces.forEach(piece -> quarantined += piece.memory().byteSize());
    session.bulkContext().counters().quarantined(quarantined);
    transfer.wait.ends();
    untold.clear();
    fences++; // or the first to be fenced at once would take itself for the last
    pieces.forEach(this::close);
    fences--;
  }

  /** All is fenced: its memory may be used for something else. */
  void free() {
    pieces.clear();
    session.bulkContext().counters().quarantined(-quarantined);
  }

  /** A path is closed; returns whether these were on it. */
  boolean pathClosed(BulkPath closed) {
    if (!paths.contains(closed)) {
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
        session,
        () -> OpenSource.requireReadable(open),
        failure -> {
          fences--;
          if (failure != null) {
            transfer.broken(failure);
          } else {
            transfer.moves();
          }
        });
  }
}
