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
 * The pieces of an object's destination that are open to its sender, in order. When one of their
 * paths is lost, or another path is better, every piece is closed, fenced and opened again from the
 * confirmed offset. On the loop.
 *
 * <p>Several paths share short pieces, a few for each at a time. The next piece goes to the path
 * that will deliver it first at its measured rate. A slower path with room gets it only if the
 * faster ones need as long for all the rest. So all paths are busy, and at the end no path is
 * waited for.
 */
final class GrantedPieces {
  /** With several paths, one piece fills, and the next is open already. */
  private static final int MOST_FILLING = 2;

  private final SessionImpl session;
  private IncomingTransfer transfer;
  private final ArrayDeque<LandingPiece> pieces = new ArrayDeque<>();

  /** The paths of this generation's pieces. The first is the path of calls. */
  private List<BulkPath> paths = List.of();

  private int generation;
  private long upTo;

  /**
   * The number of pieces that are being fenced, and of other events to wait for in the same way.
   */
  private int fences;

  /** Leading pieces that were full and are closed, in order. */
  private final ArrayDeque<LandingPiece> full = new ArrayDeque<>();

  /** Grants that the sender does not know yet, in order. */
  private final ArrayDeque<Untold> untold = new ArrayDeque<>();

  private long quarantined;

  /** A grant for a piece that is open or being opened. */
  private static final class Untold {
    final Consumer<WireOut> body;
    boolean mayBeTold;

    Untold(Consumer<WireOut> body) {
      this.body = body;
    }
  }

  GrantedPieces(IncomingTransfer transfer) {
    this.session = transfer.session;
    this.transfer = transfer;
  }

  /** Another transfer has the pieces from now on. */
  void belongTo(IncomingTransfer next) {
    transfer = next;
  }

  /** Makes later grants than others of the same number. Before the first one. */
  void follow(GrantedPieces others) {
    generation = others.generation;
  }

  boolean isAnyOpen() {
    return !pieces.isEmpty() && pieces.getFirst().isOpen();
  }

  /** Returns whether the sender is fenced off every closed piece. */
  boolean isFenced() {
    return fences == 0;
  }

  /** Skips the bytes that are there already. Before the first piece is opened. */
  void beginAt(long offset) {
    upTo = offset;
  }

  // ---- opening ----

  /**
   * Switches to the current paths of bulk data, and opens pieces there.
   *
   * @param limit the end of the object, or the latest possible end
   * @param one whether one piece is enough for now
   */
  void moveOn(long limit, boolean one) {
    List<BulkPath> now = session.bulkPaths();
    if (now != paths) {
      if (!paths.isEmpty() && now.containsAll(paths)) {
        paths = now; // more paths than before
      } else {
        changeTo(now);
      }
    }
    if (!paths.isEmpty()) {
      if (limit - upTo >= session.context().bulk().railsFrom()) {
        session.requestPaths();
      }
      openMore(limit, one);
    }
  }

  /** Closes the pieces, until {@link #moveOn}. */
  void leavePaths() {
    pieces.forEach(this::close);
    paths = List.of();
    untold.clear();
  }

  private void changeTo(List<BulkPath> now) {
    LandingPiece first = pieces.peek();
    leavePaths();
    if (now.isEmpty() || fences > 0) {
      return; // the last fence calls moveOn()
    }
    for (LandingPiece piece : pieces) {
      if (piece != first || !transfer.isAnnounced()) {
        // Earlier bytes are missing, or all may have to go elsewhere, so its bytes do not count.
        piece.restart();
      }
    }
    if (upTo > 0) {
      session.context().bulk().counters().countResume();
    }
    generation++;
    paths = now;
    if (!now.getFirst().port.landsOnHeap()) {
      takeBackFromHeap();
    }
  }

  /**
   * Takes back the pieces on the heap, because this path cannot write there. The next bytes go
   * elsewhere.
   */
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
              : paths.size() == 1 ? paths.getFirst() : pathFor(piece, limit - piece.offset);
      if (by == null || !open(by, piece)) {
        return;
      }
      piece = nextToOpen(limit, one);
    }
  }

  /**
   * Returns the path of frames for grants before the offer. The peer must know such grants before
   * its request, so they use the path of frames or wait for the offer.
   */
  private @Nullable BulkPath pathOfFrames() {
    BulkPath first = paths.getFirst();
    return session.carriesFrames(first) ? first : null;
  }

  /**
   * Returns the path for a piece; null if no path should have another one now.
   *
   * @param left the bytes of the object that are not granted yet
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
      known = 1; // no rate is known: assume equal ones
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

  /**
   * Returns the rate of a path. An unknown rate counts as the best one, so that the path is tried.
   */
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

  /** Returns the first piece that is not open; null if there is no memory for one now. */
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
    long most = dealt ? session.context().bulk().railPieceBytes() : BulkPath.PIECE_BYTES;
    LandingPiece piece = transfer.destination().next(upTo, most);
    if (piece != null) {
      pieces.add(piece);
      upTo = piece.end();
    }
    return piece;
  }

  /** Opens a piece, or shortens it. Returns false if it cannot be opened now. */
  private boolean open(BulkPath current, LandingPiece piece) {
    transfer.wait.beginAttempt();
    while (true) {
      try {
        OpenSource.requireAlive(piece.memory());
        grant(current, piece);
        transfer.wait.end();
        return true;
      } catch (TransferProblem | RuntimeException e) {
        transfer.broken(e);
        return false;
      } catch (LinkException e) {
        if (opensElsewhere(current, piece)) {
          transfer.wait.end();
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

  /** Opens a piece on another path, because a path without room must not delay the others. */
  private boolean opensElsewhere(BulkPath full, LandingPiece piece) {
    for (BulkPath one : paths) {
      if (one != full) {
        try {
          grant(one, piece);
          return true;
        } catch (LinkException e) {
          // no room here either
        }
      }
    }
    return false;
  }

  /**
   * Takes back later pieces that were opened on a path which had room for them. They have no bytes
   * yet.
   */
  private void takeBackBehind(LandingPiece piece) {
    while (pieces.getLast() != piece) {
      transfer.destination().takeBack(pieces.removeLast());
    }
    upTo = piece.end();
  }

  private void waitForRoom(LinkException why) {
    if (fences > 0 || isAnyOpen()) {
      return; // a close calls moveOn()
    }
    if (!transfer.wait.goesOn(why.shortage())) {
      transfer.broken(why);
    }
  }

  private void grant(BulkPath current, LandingPiece piece) throws LinkException {
    long from = piece.offset + piece.arrived();
    long length = piece.end() - from;
    BulkTarget target = piece.open(current, session.loop(), () -> arrived(piece));
    int currentGeneration = generation;
    Untold grant =
        new Untold(
            out -> {
              out.writeVarInt(currentGeneration);
              out.writeVarLong(from);
              out.writeVarLong(length);
              out.writeInt(current.epoch);
              out.writeBytes(target.advertisement());
            });
    untold.add(grant);
    if (session.carriesFrames(current)) {
      mayTell(grant);
    } else {
      target.whenOpen(() -> mayTell(grant));
    }
  }

  /** Announces grants in order. A grant that was sent too early would look open to the sender. */
  private void mayTell(Untold grant) {
    grant.mayBeTold = true;
    Untold first = untold.peek();
    while (first != null && first.mayBeTold) {
      session.sendBulk(FrameKind.BULK_GRANT, transfer.id, untold.remove().body);
      first = untold.peek();
    }
  }

  private void arrived(LandingPiece piece) {
    if (piece == pieces.peek()) { // bytes of other pieces may have to be sent again
      transfer.destination().noteArrival(piece);
    }
    boolean goesOn = piece.isFull() && piece != pieces.peek();
    transfer.arrived();
    if (goesOn) {
      transfer.proceed(); // its path has room for another
    }
  }

  /** Returns the first piece, which is being filled; null if there is none. */
  @Nullable LandingPiece head() {
    return pieces.peek();
  }

  /** Closes the first piece, which is full, unless its path closed it before. */
  void closeHead() {
    LandingPiece head = pieces.remove();
    full.add(head);
    close(head);
    handOver();
  }

  /** Hands full and fenced pieces to the destination in order, whichever path fences first. */
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
          transfer.proceed();
        },
        () -> transfer.lost());
  }

  /** Closes all pieces. Their memory counts as quarantined until {@link #free}. */
  void closeAll() {
    pieces.forEach(piece -> quarantined += piece.memory().byteSize());
    session.context().bulk().counters().quarantined(quarantined);
    transfer.wait.end();
    untold.clear();
    fences++; // otherwise the first immediate fence would count as the last
    pieces.forEach(this::close);
    fences--;
  }

  /** Frees the memory for other use. All pieces are fenced. */
  void free() {
    pieces.clear();
    session.context().bulk().counters().quarantined(-quarantined);
  }

  /** Handles the end of a path. Returns whether it had pieces of this object. */
  boolean pathClosed(BulkPath closed) {
    if (!paths.contains(closed)) {
      return false;
    }
    LandingPiece head = pieces.peek();
    if (head != null && head.memory().isMapped()) {
      writeAgain(head, closed.port.windowBytes());
    }
    return true;
  }

  /**
   * Writes the bytes that may have been under way before they are granted again. If a mapped file
   * has become shorter, or its disk is full, a link cannot write into its memory and is lost, and
   * so would be each later one.
   */
  private void writeAgain(LandingPiece piece, long most) {
    MemorySegment open =
        piece
            .memory()
            .asSlice(piece.arrived(), Math.min(most, piece.memory().byteSize() - piece.arrived()));
    fences++;
    RunOn.MAPPED.run(
        session,
        () -> OpenSource.requireWritable(open),
        failure -> {
          fences--;
          if (failure != null) {
            transfer.broken(failure);
          } else {
            transfer.proceed();
          }
        });
  }
}
