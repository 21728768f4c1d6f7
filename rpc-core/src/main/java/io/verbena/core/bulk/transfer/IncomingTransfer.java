package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.destination.Destination;
import io.verbena.core.bulk.destination.GrantedPieces;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.core.frame.FrameKind;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An object on its way in. Memory is opened piece by piece; a piece that is full is closed, and
 * once the peer is fenced off it, handed to the destination.
 *
 * <p>{@link IncomingState} says how far it is. When its path is lost or changed while it moves,
 * every piece is closed, fenced, and opened anew where it was confirmed.
 *
 * <p>All has arrived when the last byte has, as its length is known; where a checksum is compared,
 * or there is no byte, when the sender has also said so. TOLD: the sender was told {@code DONE};
 * only this end's user waits for the fence.
 *
 * <p>It is long, since every transition of {@link IncomingState} is made here and nowhere else.
 */
final class IncomingTransfer extends BulkTransfer implements IncomingBytes.Owner {
  private static final long UNKNOWN = -1;

  private final Destination destination;
  private final Consumer<Received> whenReceived;
  private final GrantedPieces granted;
  private final ChecksumAgreement comparison;
  private final IncomingBytes bytes;
  private final ReentryGuard rounds;

  /** A beginning that the sender is asked for whether it is its own; 0 if it is not. */
  private long asked;

  private long announced = UNKNOWN;
  private IncomingState state = IncomingState.NEW;

  /** How it fails, unless it turns out to be in its place. */
  private @Nullable Runnable putOff;

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
    this.bytes =
        new IncomingBytes(host.bulkContext().counters(), handle, destination, granted, this);
    this.rounds = new ReentryGuard(() -> state.moves(), this::moveOnce);
    this.comparison = new ChecksumAgreement(checksum);
    this.whenReceived = whenReceived;
    destination.belongsTo(this::moves, this::broken);
  }

  /** The object's length is known: claims memory for it and opens it. */
  void begin(long objectLength) {
    handle.total(objectLength);
    announced = objectLength;
    if (objectLength > destination.capacity()) {
      tooLong(objectLength);
    } else if (destination.isQuicklyPrepared(objectLength)) {
      Throwable problem = prepareNow(objectLength);
      if (TransferProblem.passingOf(problem) == null) {
        prepared(problem);
      } else {
        prepareElsewhere(objectLength);
      }
    } else {
      prepareElsewhere(objectLength);
    }
  }

  private void prepareElsewhere(long objectLength) {
    become(IncomingState.PREPARING);
    destination.prepareElsewhere(host, objectLength, comparison.when(), this::prepared);
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
        become(IncomingState.MOVING);
        moveOn();
        if (!isOver() && !granted.isAnyOpen()) {
          become(IncomingState.AWAITS_OFFER);
        }
        granted.forgetWait();
      } else if (TransferProblem.passingOf(problem) == null) {
        fail(problem);
      } // else there is room by and by, and it is looked for when the object is offered
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
    if (state == IncomingState.NEW) {
      begin(objectLength);
      return null;
    }
    announced = objectLength;
    if (state == IncomingState.AWAITS_OFFER) {
      become(IncomingState.MOVING);
    }
    handle.total(objectLength);
    if (objectLength > destination.capacity()) {
      tooLong(objectLength);
      return null;
    }
    bytes.are(objectLength);
    bytes.advance();
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
      destination.prepare(objectLength, comparison.when());
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  private void prepared(@Nullable Throwable problem) {
    if (isPrepared(problem)) {
      bytes.are(announced);
      resume(destination.beginning());
    }
  }

  /** Returns whether it goes on. */
  private boolean isPrepared(@Nullable Throwable problem) {
    if (!isOver()) {
      become(IncomingState.MOVING);
      if (problem == null) {
        return true;
      }
      fail(problem);
    } else {
      if (state == IncomingState.GIVEN_UP) {
        become(IncomingState.FREEING);
      }
      freeIfFenced();
    }
    return false;
  }

  // ---- what is there from before ----

  private void resume(Destination.@Nullable Beginning beginning) {
    if (beginning == null || announced == 0) {
      moveOn();
    } else if (beginning.length() == 0) {
      if (!comparison.isAgreed()) {
        sayResume(beginning);
      }
      moveOn();
    } else {
      become(IncomingState.ASKED);
      asked = beginning.length();
      sayResume(beginning);
    }
  }

  private void sayResume(Destination.Beginning beginning) {
    comparison.agree();
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
    if (state != IncomingState.ASKED || (from != 0 && from != asked)) {
      return "an object that begins at " + from + ", where " + asked + " was asked for";
    }
    asked = 0;
    become(IncomingState.MOVING);
    if (from == 0) {
      beginAgain();
    } else {
      bytes.beginAt(from);
      handle.resumedFrom(from);
      moveOn();
    }
    return null;
  }

  private void beginAgain() {
    become(IncomingState.PREPARING);
    destination.beginAgain(
        problem -> {
          if (isPrepared(problem)) {
            goOn();
          }
        });
  }

  // ---- opening memory ----

  /** Opens what can be opened, on the path there is. Closing may call it from within itself. */
  private void moveOn() {
    rounds.run();
  }

  private void goOn() {
    moveOn();
    host.schedulePump();
  }

  private void moveOnce() {
    bytes.moveOn();
    finishIfWhole();
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
      bytes.advance();
      finishIfWhole();
      host.schedulePump();
    }
  }

  /** A landing that was open before the object was offered may take more than that has. */
  @Override
  public void tooMuch(long arrived, long length) {
    fail(RpcStatus.PROTOCOL_ERROR, "of " + length + " bytes " + arrived + " arrived", null, true);
  }

  @Override
  public void progresses() {
    transfers.owesProgress(this);
  }

  /** Returns whether all of its bytes are here. */
  boolean hasAll() {
    return bytes.hasAll();
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
    String wrong = comparison.sent(sendersChecksum);
    if (wrong == null) {
      finishIfWhole();
    }
    return wrong;
  }

  private void finishIfWhole() {
    if (state == IncomingState.FINISHING
        || isOver()
        || !hasAll()
        || comparison.awaitsSent(bytes.length())) {
      return;
    }
    if (state != IncomingState.TOLD && !comparison.isAgreed() && destination.isInPlace()) {
      become(IncomingState.TOLD);
      sayDone();
    }
    if (granted.isFenced() && destination.isIdle()) {
      become(IncomingState.FINISHING);
      destination.finish(bytes.length(), comparison.expected(), this::finished);
    }
  }

  private void sayDone() {
    transfers.arrived(id, bytes.length());
    peerKnows();
  }

  /**
   * Once it is whole and being put in its place, or its sender was told so, only that says how it
   * ends: what stands there must not be told as a failure. Its number may be another's as soon as
   * the peer does not wait for it.
   */
  @Override
  boolean putsOff(Runnable failing) {
    if (lost || !state.isBeingSeen()) {
      return false;
    }
    if (!peerWaits()) {
      transfers.forget(this);
    }
    putOff = putOff == null ? failing : putOff;
    return true;
  }

  private void finished(@Nullable Throwable problem) {
    become(IncomingState.FINISHED);
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
    if (peerWaits()) {
      sayDone();
    }
    Received received = destination.received(bytes.length());
    whenReceived.accept(received);
    handle.succeed(received);
  }

  // ---- the end ----

  private void become(IncomingState next) {
    state = state.become(next);
  }

  @Override
  public boolean isOver() {
    return state.hasEnded();
  }

  @Override
  void ends(boolean well) {
    state = well ? state.become(IncomingState.OVER) : state.fails();
  }

  @Override
  long confirmed() {
    return bytes.confirmed();
  }

  @Override
  void failed(TransferException why) {
    failure = why;
    destination.giveUp();
    granted.closeAll();
    if (lost || !destination.isUsers()) {
      handle.fail(why);
    }
    freeIfFenced();
  }

  private void freeIfFenced() {
    TransferException why = failure;
    if (why == null
        || state != IncomingState.FREEING
        || !granted.isFenced()
        || !destination.isIdle()) {
      return;
    }
    become(IncomingState.OVER);
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
