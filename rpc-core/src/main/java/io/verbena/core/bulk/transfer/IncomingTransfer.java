package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.destination.Destination;
import io.verbena.core.bulk.destination.GrantedPieces;
import io.verbena.core.bulk.destination.LandingPiece;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.core.frame.FrameKind;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An object on its way in. Memory is opened piece by piece; a piece that is full is closed, and
 * once the peer is fenced off it, handed to the destination.
 *
 * <pre>
 *   PREPARING ──memory claimed, the beginning that there is from before agreed on──→ MOVING ──all arrived, fenced, stored──→ FINISHING ──→ over
 *                                  │  ↑                        └──all arrived in memory──→ TOLD ──fenced──↑
 *        the path is lost or changed: every piece closed, fenced, opened anew where it was confirmed
 *   any ──cancel, failure, peer lost──→ over; its memory is free when the peer is fenced off it
 *   but TOLD and FINISHING, where these wait: over, well, if it is in its place
 * </pre>
 *
 * <p>All has arrived when the last byte has, as its length is known; where a checksum is compared,
 * or there is no byte, when the sender has also said so. TOLD: the sender was told {@code DONE};
 * only this end's user waits for the fence.
 *
 * <p>One that comes into a landing that stands open has no memory opened: when all of it is there,
 * it is copied out. Where that landing is lost before, it is granted memory like any other.
 */
final class IncomingTransfer extends BulkTransfer implements GrantedPieces.Owner {
  private static final long UNKNOWN = -1;

  /** How far it is. Once it is over only PREPARING counts: the destination is still at work. */
  private enum Phase {
    /** Its length is not known, or not yet looked at. */
    NEW,
    /** The destination claims what it needs, or begins again. */
    PREPARING,
    /** The sender was asked whether a beginning is its own. */
    ASKED,
    /** Nothing could be granted before a call's request, and a grant behind it is not expected. */
    AWAITS_OFFER,
    /** Memory is opened, and filled. */
    MOVING,
    /** Its sender knows that all has come, and its user waits until the sender is fenced off. */
    TOLD,
    /** The destination compares and stores the last of it. */
    FINISHING
  }

  private final Destination destination;
  private final Consumer<Received> whenReceived;
  private final GrantedPieces granted;
  private Checksum checksum;

  /** Whether the sender knows that it is compared. */
  private boolean checked;

  /** A beginning that the sender is asked for whether it is its own; 0 if it is not. */
  private long asked;

  private long length = UNKNOWN;
  private long announced = UNKNOWN;
  private long confirmed;
  private Phase phase = Phase.NEW;
  private @Nullable StandingCopy standing;

  /** Whether its sender did not wait to be told anything; also where the landing is gone. */
  private boolean sentAtOnce;

  private boolean moving;
  private boolean moveAgain;
  private boolean sentHeard;
  private @Nullable Runnable putOff;
  private int sendersSum;
  private @Nullable TransferException failure;

  /** Some of its memory cannot be fenced: all of it is kept, and not waited for. */
  private boolean lost;

  /**
   * A transfer.
   *
   * @param checksum when a checksum is compared; the sender knows of it if that is always
   * @param whenReceived takes what arrived, before the handle does
   */
  IncomingTransfer(
      Transfers transfers,
      TransferHandle handle,
      long id,
      Destination destination,
      Checksum checksum,
      Consumer<Received> whenReceived) {
    super(transfers, handle, id);
    this.destination = destination;
    this.granted = new GrantedPieces(host, id, destination, this);
    this.checksum = checksum;
    this.checked = checksum == Checksum.ALWAYS;
    this.whenReceived = whenReceived;
    destination.belongsTo(this::moves, this::broken);
  }

  /**
   * Its sender wrote it into a landing that stood open; before it begins.
   *
   * @param landing null where it is closed by now
   */
  void comesInto(StandingLandings.@Nullable Landing landing) {
    sentAtOnce = true;
    checksum = checked ? Checksum.ALWAYS : Checksum.NEVER; // it may be written and summed by now
    if (landing != null) {
      standing = new StandingCopy(landing);
      landing.use(this);
    }
  }

  /** The object's length is known: claims memory for it and opens it. */
  void begin(long objectLength) {
    handle.total(objectLength);
    announced = objectLength;
    if (objectLength > destination.capacity()) {
      tooLong(objectLength);
    } else if (destination.isQuicklyPrepared(objectLength)) {
      prepared(prepareNow(objectLength));
    } else {
      phase = Phase.PREPARING;
      destination.prepareElsewhere(host, objectLength, checksum, this::prepared);
    }
  }

  /**
   * The object's length is not known yet: opens memory for any that fits, where that is cheap, so
   * that it can be sent without being offered first. Where there is no path now, or no room on it,
   * memory is opened when it is offered.
   */
  void beginBeforeOffer() {
    long capacity = destination.capacity();
    if (destination.isQuicklyPrepared(capacity)) {
      Throwable problem = prepareNow(capacity);
      if (problem == null) {
        phase = Phase.MOVING;
        moveOn();
        phase = granted.isAnyOpen() ? Phase.MOVING : Phase.AWAITS_OFFER;
        granted.forgetWait();
      } else {
        fail(problem);
      }
    }
  }

  /** The sender says how long the object is; returns what is wrong with that, or null. */
  @Nullable String offered(long objectLength) {
    if (isOver()) {
      return null;
    }
    if (announced != UNKNOWN) {
      return "an object that was offered twice";
    }
    if (phase == Phase.NEW) {
      begin(objectLength);
      return null;
    }
    announced = objectLength;
    phase = Phase.MOVING;
    handle.total(objectLength);
    if (objectLength > destination.capacity()) {
      tooLong(objectLength);
      return null;
    }
    length = objectLength;
    advance();
    moveOn();
    return null;
  }

  /** Returns whether the object's length is known. */
  boolean isAnnounced() {
    return announced != UNKNOWN;
  }

  private void tooLong(long objectLength) {
    fail(
        RpcStatus.INVALID_ARGUMENT,
        "its destination takes " + destination.capacity() + " bytes, and it has " + objectLength,
        null,
        true);
  }

  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  private @Nullable Throwable prepareNow(long objectLength) {
    try {
      destination.prepare(objectLength, checksum);
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  private void prepared(@Nullable Throwable problem) {
    phase = Phase.MOVING;
    if (isOver()) {
      freeIfFenced();
    } else if (problem != null) {
      fail(problem);
    } else {
      length = announced;
      resume(destination.beginning());
    }
  }

  // ---- what is there from before ----

  private void resume(Destination.@Nullable Beginning beginning) {
    if (beginning == null || length == 0) {
      moveOn();
    } else if (beginning.length() == 0) {
      if (!checked) {
        sayResume(beginning);
      }
      moveOn();
    } else if (sentAtOnce) {
      beginAgain();
    } else {
      phase = Phase.ASKED;
      asked = beginning.length();
      sayResume(beginning);
    }
  }

  private void sayResume(Destination.Beginning beginning) {
    checked = true;
    host.sendBulk(
        FrameKind.BULK_RESUME,
        id,
        out -> {
          out.writeVarLong(beginning.length());
          out.writeInt(beginning.crc());
        });
  }

  /** The sender says where it begins; returns what is wrong with that, or null. */
  @Nullable String resumed(long from) {
    if (isOver()) {
      return null;
    }
    if (phase != Phase.ASKED || (from != 0 && from != asked)) {
      return "an object that begins at " + from + ", where " + asked + " was asked for";
    }
    asked = 0;
    phase = Phase.MOVING;
    if (from == 0) {
      beginAgain();
    } else {
      confirmed = from;
      handle.resumedFrom(from);
      granted.beginAt(from);
      moveOn();
    }
    return null;
  }

  private void beginAgain() {
    phase = Phase.PREPARING;
    destination.beginAgain(
        problem -> {
          phase = Phase.MOVING;
          if (isOver()) {
            freeIfFenced();
          } else if (problem != null) {
            fail(problem);
          } else {
            goOn();
          }
        });
  }

  // ---- opening memory ----

  /** Opens what can be opened, on the path there is. Closing may call it from within itself. */
  private void moveOn() {
    moveAgain = true;
    if (moving) {
      return;
    }
    moving = true;
    while (moveAgain && !isOver() && mayOpen()) {
      moveAgain = false;
      moveOnce();
    }
    moving = false;
  }

  private boolean mayOpen() {
    return phase.compareTo(Phase.MOVING) >= 0;
  }

  private void goOn() {
    moveOn();
    host.schedulePump();
  }

  private void moveOnce() {
    StandingCopy copy = standing;
    if (copy != null) {
      copyOut(copy);
      finishIfWhole();
      return;
    }
    boolean known = length != UNKNOWN;
    granted.moveOn(known ? length : destination.capacity(), !known);
    finishIfWhole();
  }

  // ---- out of a landing that stands ----

  /** More has arrived in its landing. */
  void landed() {
    goOn();
  }

  /** Its landing is closed. If all is there, it stays so; else it is to be written elsewhere. */
  void landingClosed() {
    StandingCopy copy = standing;
    if (copy != null && copy.arrived() < announced) {
      standing = null;
      copy.drop();
      moveOn();
    }
  }

  private void copyOut(StandingCopy copy) {
    if (copy.arrived() > length) {
      tooMuch(copy.arrived());
    }
    long before = confirmed;
    while (copy.arrived() == length && confirmed < length && !isOver()) {
      LandingPiece piece = destination.next(confirmed);
      if (piece == null) {
        break;
      }
      copyOut(copy, piece);
    }
    if (confirmed > before) {
      host.bulkContext().counters().bytesReceived.addAndGet(confirmed - before);
      handle.confirmed(confirmed);
    }
  }

  private void copyOut(StandingCopy copy, LandingPiece piece) {
    try {
      copy.fill(piece);
    } catch (TransferProblem | RuntimeException | InternalError e) {
      fail(e); // an InternalError where a mapped file has become shorter
      return;
    }
    confirmed = piece.end();
    destination.filled(piece, this::broken, this::moves);
  }

  @Override
  public void lost() {
    lost = true;
    TransferException why = failure;
    if (why != null) {
      handle.fail(why);
    } else {
      fail(
          RpcStatus.INTERNAL,
          "its link is gone, and the device may still write into its memory, which cannot be used"
              + " again: end this process, and see its log for what the device refused",
          null,
          true);
    }
  }

  // ---- arrivals ----

  @Override
  public void arrived() {
    if (!isOver()) {
      advance();
      finishIfWhole();
      host.schedulePump();
    }
  }

  /** A landing that was open before the object was offered may take more than that has. */
  private void tooMuch(long arrived) {
    fail(RpcStatus.PROTOCOL_ERROR, "of " + length + " bytes " + arrived + " arrived", null, true);
  }

  private void advance() {
    LandingPiece head = granted.head();
    while (head != null) {
      confirmed(head.offset + head.arrived);
      if (isOver() || length == UNKNOWN || confirmed < Math.min(head.end(), length)) {
        return;
      }
      LandingPiece full = head;
      granted.closeHead(() -> destination.filled(full, this::broken, this::moves));
      head = granted.head();
    }
  }

  private void confirmed(long upTo) {
    if (length != UNKNOWN && upTo > length) {
      tooMuch(upTo);
    } else if (upTo > confirmed) {
      host.bulkContext().counters().bytesReceived.addAndGet(upTo - confirmed);
      confirmed = upTo;
      handle.confirmed(upTo);
      transfers.owesProgress(this);
    }
  }

  /** Returns whether all of its bytes are here. */
  boolean hasAll() {
    return confirmed == length;
  }

  @Override
  public void broken(Throwable cause) {
    if (isOver()) {
      freeIfFenced();
    } else {
      fail(cause);
    }
  }

  /** More of it is stored, or may be opened; or the last is free of what has failed. */
  @Override
  public void moves() {
    if (isOver()) {
      freeIfFenced();
    } else {
      goOn();
    }
  }

  /** The sender has written all of it; returns what is wrong with that, or null. */
  @Nullable String sent(int sendersChecksum) {
    if (sentHeard) {
      return "an object that was sent twice";
    }
    sentHeard = true;
    sendersSum = sendersChecksum;
    finishIfWhole();
    return null;
  }

  private void finishIfWhole() {
    if (phase == Phase.FINISHING
        || isOver()
        || !hasAll()
        || (!sentHeard && endsBySent(checked, length))) {
      return;
    }
    if (phase != Phase.TOLD && !checked && standing == null && destination.isInPlace()) {
      phase = Phase.TOLD;
      sayDone();
    }
    if (granted.isFenced() && destination.isIdle()) {
      phase = Phase.FINISHING;
      destination.finish(length, checked ? sendersSum : null, this::finished);
    }
  }

  private void sayDone() {
    host.sendBulk(FrameKind.BULK_DONE, id, out -> {});
    peerKnows();
  }

  /**
   * Once it is whole and being put in its place, or its sender was told so, only that says how it
   * ends: what stands there must not be told as a failure. Its number may be another's as soon as
   * the peer does not wait for it.
   */
  @Override
  boolean putsOff(Runnable failing) {
    if (lost || phase.compareTo(Phase.TOLD) < 0) {
      return false;
    }
    if (!peerWaits()) {
      transfers.forget(this);
    }
    putOff = putOff == null ? failing : putOff;
    return true;
  }

  private void finished(@Nullable Throwable problem) {
    phase = Phase.MOVING;
    if (problem == null) {
      isWhole();
    } else if (putOff != null) {
      putOff.run();
    } else {
      fail(problem);
    }
  }

  private void isWhole() {
    succeeded();
    if (standing != null) {
      host.bulkContext().counters().landedAtOnce.incrementAndGet();
      standing.leave(peerWaits());
    }
    if (peerWaits()) {
      sayDone();
    }
    Received received = destination.received(length);
    whenReceived.accept(received);
    handle.succeed(received);
  }

  // ---- the end ----

  @Override
  long confirmed() {
    return confirmed;
  }

  @Override
  void failed(TransferException why) {
    failure = why;
    destination.giveUp();
    StandingCopy copy = standing;
    if (copy != null) {
      standing = null;
      copy.drop();
    }
    granted.closeAll();
    if (lost || !destination.isUsers()) {
      handle.fail(why);
    }
    freeIfFenced();
  }

  private void freeIfFenced() {
    TransferException why = failure;
    if (why == null || !granted.isFenced() || phase == Phase.PREPARING || !destination.isIdle()) {
      return;
    }
    failure = null;
    granted.free();
    destination.discard(mayGoOnLater(why.status()), () -> handle.fail(why));
  }

  /** Returns whether nobody gave it up, but its peer, its link or its time ran out. */
  private static boolean mayGoOnLater(RpcStatus why) {
    return why == RpcStatus.UNAVAILABLE || why == RpcStatus.DEADLINE_EXCEEDED;
  }

  /** The session's paths are others than before. */
  void pathsChanged() {
    moveOn();
  }

  @Override
  void pathClosed(BulkPath closed) {
    if (granted.pathClosed(closed)) {
      moveOn();
    }
  }
}
