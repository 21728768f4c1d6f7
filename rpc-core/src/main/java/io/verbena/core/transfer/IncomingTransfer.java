package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.LimitedWait;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Shortage;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An object on its way in. Memory is opened piece by piece; a piece that is full is closed, and
 * once the peer is fenced off it, handed to the destination.
 *
 * <pre>
 *   NEW ──→ PREPARING ──memory claimed──→ MOVING ──all arrived, fenced, stored──→ FINISHING ──→ FINISHED ──→ OVER
 *    │          ↑                         ↑  │ └──all arrived in memory──→ TOLD ──fenced──↑
 *    │          └──it is not──┐           │  ├──→ AWAITS_OFFER ──offered──→ MOVING
 *    └──claimed at once───────│───────────┘  │
 *                             └── ASKED ←────┘ ──it is──→ MOVING
 *   any ──cancel, failure, peer lost──→ FREEING ──fenced, idle──→ OVER; out of PREPARING by GIVEN_UP
 *   but TOLD and FINISHING, where these wait: OVER, well, if it is in its place
 * </pre>
 *
 * When its path is lost or changed while it moves, every piece is closed, fenced, and opened anew
 * where it was confirmed.
 *
 * <p>All has arrived when the last byte has, as its length is known; where a checksum is compared,
 * or there is no byte, when the sender has also said so. TOLD: the sender was told {@code DONE};
 * only this end's user waits for the fence.
 */
public final class IncomingTransfer extends BulkTransfer {
  private static final long UNKNOWN = -1;

  private enum State {
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
    FINISHING,
    /** The destination has said whether it is whole. */
    FINISHED,
    /** It has failed, and its destination is still being prepared. */
    GIVEN_UP,
    /** It has failed, and its memory is free when the peer is fenced off it. */
    FREEING,
    /** It has ended, and nothing is waited for any more. */
    OVER;

    /** Returns what it becomes; no other transitions are there. */
    State become(State next) {
      boolean may =
          switch (next) {
            case NEW -> false;
            case PREPARING -> this == NEW || this == MOVING;
            case ASKED, AWAITS_OFFER, TOLD -> this == MOVING;
            case MOVING ->
                this == NEW || this == PREPARING || this == ASKED || this == AWAITS_OFFER;
            case FINISHING -> this == MOVING || this == TOLD;
            case FINISHED -> this == FINISHING;
            case GIVEN_UP -> this == PREPARING;
            case FREEING -> !hasEnded() || this == GIVEN_UP;
            case OVER -> this == FINISHED || this == FREEING;
          };
      if (!may) {
        throw new IllegalStateException(
            "an object on its way in is " + this + ", not to be " + next);
      }
      return next;
    }

    /** Returns what it becomes where it fails. */
    State fails() {
      return become(this == PREPARING ? GIVEN_UP : FREEING);
    }

    /** Returns whether it is over, well or not. */
    boolean hasEnded() {
      return this == GIVEN_UP || this == FREEING || this == OVER;
    }

    /** Returns whether memory may be opened, and what has arrived be finished. */
    boolean moves() {
      return this == MOVING || isBeingSeen();
    }

    /**
     * Returns whether only its destination says how it ends: it is whole and being put in its
     * place, or its sender was told so.
     */
    boolean isBeingSeen() {
      return this == TOLD || this == FINISHING;
    }
  }

  /** Null as long as nobody has said where a pushed object goes. */
  private @Nullable Destination destination;

  /** For memory or a file that others have, and then for room on a path. */
  final LimitedWait wait;

  /** What is prepared elsewhere, and is its destination once it is. */
  private @Nullable Destination prepares;

  private boolean attempting;

  private final Transfers transfers;
  private final UnaryOperator<Received> whenReceived;
  private final GrantedPieces granted;
  private State state = State.NEW;

  /** So many bytes the object has. */
  private long length = UNKNOWN;

  /** So many are here. */
  private long confirmed;

  /** A beginning that the sender is asked for whether it is its own; 0 if it is not. */
  private long asked;

  /** When a checksum is compared. */
  private final Checksum checksum;

  /** Whether the sender knows that a checksum is compared. */
  private boolean agreed;

  private @Nullable Integer sendersChecksum;

  /** Has nobody asked any more where it goes; false if somebody was. */
  private BooleanSupplier takenBack = () -> false;

  /** It moves on, and once more where it is asked to from within that. */
  private boolean movingOn;

  private boolean movesAgain;

  /** How it fails, unless it turns out to be in its place. */
  private @Nullable Runnable putOff;

  private @Nullable TransferException failure;

  /** Some of its memory cannot be fenced: all of it is kept, and not waited for. */
  private boolean lost;

  /**
   * A transfer.
   *
   * @param destination null where it is to be asked for
   * @param checksum when a checksum is compared; the sender knows of it if that is always
   * @param whenReceived takes what arrived, before the handle does, and returns what that gets
   */
  IncomingTransfer(
      Transfers transfers,
      TransferHandle handle,
      long id,
      @Nullable Destination destination,
      Checksum checksum,
      UnaryOperator<Received> whenReceived) {
    super(transfers.session, handle, id);
    this.transfers = transfers;
    this.wait = new LimitedWait(session.loop(), this::look);
    this.granted = new GrantedPieces(this);
    this.checksum = checksum;
    this.agreed = checksum == Checksum.ALWAYS;
    this.whenReceived = whenReceived;
    if (destination != null) {
      goesTo(destination);
    }
  }

  private void look() {
    if (state == State.PREPARING) {
      attempt();
    } else {
      moves();
    }
  }

  private void goesTo(Destination to) {
    destination = to;
    to.belongsTo(this);
  }

  Destination destination() {
    return Objects.requireNonNull(destination, "nobody has said where it goes");
  }

  // ---- where it goes ----

  static Destination destination(SessionImpl session, Landing landing) {
    return switch (landing) {
      case Landing.InMemory(var memory, var freedWith) ->
          new MemoryDestination(session, memory, MemoryLife.LENT.of(memory, freedWith));
      case Landing.Pooled(long capacity) -> new MemoryDestination(session, capacity);
      case Landing.InFile file -> new FileDestination(session, file);
      case Landing.InChunks(var consumer) -> new BufferedDestination.OfConsumer(session, consumer);
      case Landing.Watched(var watched, _) -> destination(session, watched);
      case Landing.AtCaller() ->
          throw new IllegalArgumentException(
              "a caller's landing takes the answer to its call: return Received.from(source)");
    };
  }

  /**
   * Asks who takes it where it goes, and begins. Handlers are called in turn, so that a peer which
   * gives up at once starts no more of them.
   */
  void ask(PushTaker taker, PushHandler.Offer offer) {
    handle.total(offer.length());
    length = offer.length();
    Destination[] answer = new Destination[1];
    RunOn.Work ask = () -> answer[0] = destination(session, taker.ask(offer));
    if (taker.onLoop()) {
      RunOn.runHere(ask, failure -> asked(answer[0], failure));
      return;
    }
    become(State.PREPARING);
    Runnable turn =
        () ->
            RunOn.USER.run(
                session,
                ask,
                failure -> {
                  taker.returned();
                  asked(answer[0], failure);
                });
    takenBack = () -> taker.takeBack(turn);
    taker.call(turn);
  }

  private void asked(@Nullable Destination answer, @Nullable Throwable failure) {
    if (answer == null || isOver()) {
      prepared(failure);
    } else if (state == State.NEW && answer.isQuicklyPrepared(length)) {
      goesTo(answer);
      begin(length);
    } else {
      if (state == State.NEW) {
        become(State.PREPARING);
      }
      answer.belongsTo(this);
      prepareElsewhere(answer);
    }
  }

  // ---- how long it is ----

  /** The object's length is known: claims memory for it and opens it. */
  void begin(long objectLength) {
    if (!fits(objectLength)) {
      return;
    }
    if (destination().isQuicklyPrepared(objectLength)) {
      Throwable problem = prepareNow(objectLength);
      if (TransferProblem.shortageOf(problem) == null) {
        prepared(problem);
        return;
      }
    }
    become(State.PREPARING);
    prepareElsewhere(destination());
  }

  private void prepareElsewhere(Destination where) {
    prepares = where;
    attempt();
  }

  /** Prepares it, and once more when whoever has the file, or the memory, has given way. */
  private void attempt() {
    Destination where = prepares;
    if (where != null && !attempting) {
      attempting = true;
      wait.tries();
      RunOn.FILES.run(session, () -> where.prepare(length, checksum), this::attempted);
    }
  }

  private void attempted(@Nullable Throwable failure) {
    attempting = false;
    Shortage shortage = TransferProblem.shortageOf(failure);
    if (shortage != null && !isOver() && wait.goesOn(shortage)) {
      return;
    }
    wait.ends();
    destination = failure == null ? prepares : destination;
    prepared(failure);
  }

  /** It is not wanted any more; what waits to hear of it does so by and by. */
  private void prepareNoMore() {
    if (state == State.GIVEN_UP && wait.isUnderWay() && !attempting) {
      wait.ends();
      session.loop().execute(() -> prepared(null));
    }
  }

  /**
   * The object's length is not known yet: opens memory for any that fits, where that is cheap, so
   * that it can be sent without being offered first. Where there is no path now, or no room on it,
   * memory is opened when it is offered.
   */
  void beginBeforeOffer() {
    long capacity = destination().capacity();
    if (destination().isQuicklyPrepared(capacity)) {
      Throwable problem = prepareNow(capacity);
      if (problem == null) {
        become(State.MOVING);
        moveOn();
        if (!isOver() && !granted.isAnyOpen()) {
          become(State.AWAITS_OFFER);
        }
        wait.ends(); // from later on room is waited for, if at all
      } else if (TransferProblem.shortageOf(problem) == null) {
        broken(problem);
      } // else there is room by and by, and it is looked for when the object is offered
    }
  }

  /** The sender says how long the object is; returns what is wrong with that, or null. */
  @Nullable String offered(long objectLength) {
    if (isOver()) {
      return null;
    }
    if (isAnnounced()) {
      return "an object that was offered twice";
    }
    if (state == State.NEW) {
      begin(objectLength);
    } else if (fits(objectLength)) {
      if (state == State.AWAITS_OFFER) {
        become(State.MOVING);
      }
      advance();
      moveOn();
    }
    return null;
  }

  private boolean isAnnounced() {
    return length != UNKNOWN;
  }

  /** It is known how long it is; fails where that is too long. */
  private boolean fits(long objectLength) {
    handle.total(objectLength);
    length = objectLength;
    long capacity = destination().capacity();
    if (objectLength <= capacity) {
      return true;
    }
    fail(
        RpcStatus.INVALID_ARGUMENT,
        "its destination takes " + capacity + " bytes, and it has " + objectLength);
    return false;
  }

  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  private @Nullable Throwable prepareNow(long objectLength) {
    try {
      destination().prepare(objectLength, checksum);
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  private void prepared(@Nullable Throwable problem) {
    if (isPrepared(problem)) {
      resume(destination().beginning());
    }
  }

  private boolean isPrepared(@Nullable Throwable problem) {
    if (!isOver()) {
      become(State.MOVING);
      if (problem == null) {
        return true;
      }
      broken(problem);
    } else {
      if (state == State.GIVEN_UP) {
        become(State.FREEING);
      }
      freeIfFenced();
    }
    return false;
  }

  // ---- what is there from before ----

  private void resume(Destination.@Nullable Beginning beginning) {
    if (beginning == null || length == 0) {
      moveOn();
    } else if (beginning.length() == 0) {
      if (!agreed) {
        sayResume(beginning);
      }
      moveOn();
    } else {
      become(State.ASKED);
      asked = beginning.length();
      sayResume(beginning);
    }
  }

  private void sayResume(Destination.Beginning beginning) {
    agreed = true;
    session.sendBulk(
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
    if (state != State.ASKED || (from != 0 && from != asked)) {
      return "an object that begins at " + from + ", where " + asked + " was asked for";
    }
    asked = 0;
    become(State.MOVING);
    if (from == 0) {
      beginAgain();
    } else {
      confirmed = from;
      granted.beginAt(from);
      handle.resumedFrom(from);
      moveOn();
    }
    return null;
  }

  private void beginAgain() {
    become(State.PREPARING);
    destination()
        .beginAgain(
            problem -> {
              if (isPrepared(problem)) {
                goOn();
              }
            });
  }

  // ---- opening memory ----

  /** Opens what can be opened, on the path there is. Closing may call it from within itself. */
  void moveOn() {
    movesAgain = true;
    if (movingOn) {
      return;
    }
    movingOn = true;
    while (movesAgain && state.moves()) {
      movesAgain = false;
      granted.moveOn(isAnnounced() ? length : destination().capacity(), !isAnnounced());
      finishIfWhole();
    }
    movingOn = false;
  }

  private void goOn() {
    moveOn();
    session.schedulePump();
  }

  /** Some of its memory can never be fenced. */
  void lost() {
    lost = true;
    TransferException why = failure;
    if (why != null) {
      handle.fail(why);
    } else {
      fail(
          RpcStatus.INTERNAL,
          "its link is gone, and the device may still write into its memory, which cannot be used"
              + " again: end this process, and see its log for what the device refused");
    }
  }

  // ---- arrivals ----

  void arrived() {
    if (!isOver()) {
      advance();
      finishIfWhole();
      session.schedulePump();
    }
  }

  /** More has arrived, or it is known how much will. */
  private void advance() {
    LandingPiece head = granted.head();
    while (head != null) {
      confirmed(head.offset() + head.arrived());
      if (isOver() || !isAnnounced() || confirmed < Math.min(head.end(), length)) {
        return;
      }
      granted.closeHead();
      head = granted.head();
    }
  }

  private void confirmed(long upTo) {
    if (isAnnounced() && upTo > length) {
      // a landing that was open before the object was offered may take more than that has
      String why = "of " + length + " bytes " + upTo + " arrived";
      fail(RpcStatus.PROTOCOL_ERROR, why);
    } else if (upTo > confirmed) {
      session.bulkContext().counters().received(upTo - confirmed);
      confirmed = upTo;
      handle.confirmed(upTo);
      transfers.owesProgress(this);
    }
  }

  boolean hasAll() {
    return confirmed == length;
  }

  @Override
  void broken(Throwable cause) {
    super.broken(cause);
    freeIfFenced();
  }

  @Override
  void moves() {
    if (isOver()) {
      freeIfFenced();
    } else {
      goOn();
    }
  }

  /** The sender has written all of it; returns what is wrong with that, or null. */
  @Nullable String sent(int itsChecksum) {
    if (sendersChecksum != null) {
      return "an object that was sent twice";
    }
    sendersChecksum = itsChecksum;
    finishIfWhole();
    return null;
  }

  private void finishIfWhole() {
    boolean awaitsSent = sendersChecksum == null && endsBySent(agreed, length);
    if (!state.moves() || state == State.FINISHING || !hasAll() || awaitsSent) {
      return;
    }
    if (state != State.TOLD && !agreed && destination().isInPlace()) {
      become(State.TOLD);
      sayDone();
    }
    if (granted.isFenced() && destination().isIdle()) {
      become(State.FINISHING);
      destination().finish(length, agreed ? sendersChecksum : null, this::finished);
    }
  }

  private void sayDone() {
    transfers.arrived(id, length);
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
    become(State.FINISHED);
    if (problem == null) {
      isWhole();
    } else if (putOff != null) {
      putOff.run();
    } else {
      broken(problem);
    }
  }

  private void isWhole() {
    succeeded();
    if (peerWaits()) {
      sayDone();
    }
    handle.succeed(whenReceived.apply(destination().received(length)));
  }

  // ---- the end ----

  private void become(State next) {
    state = state.become(next);
  }

  @Override
  public boolean isOver() {
    return state.hasEnded();
  }

  @Override
  void ends(boolean well) {
    state = well ? state.become(State.OVER) : state.fails();
    transfers.ended(this, well);
  }

  /** Returns whether it was offered, or is over already. */
  public boolean isOnItsWay() {
    return isOver() || isAnnounced();
  }

  /** Returns how many bytes have arrived. */
  @Override
  public long confirmed() {
    return confirmed;
  }

  /** Returns how many bytes of memory it holds without moving on; 0 while it waits for more. */
  public long takes() {
    return isOver() ? 0 : destination().takes();
  }

  @Override
  void failed(TransferException why) {
    failure = why;
    prepareNoMore();
    if (destination != null) {
      destination.giveUp();
    } else if (takenBack.getAsBoolean()) {
      prepared(null);
    }
    granted.closeAll();
    if (lost || (destination != null && !destination.isUsers())) {
      handle.fail(why);
    }
    freeIfFenced();
  }

  private void freeIfFenced() {
    TransferException why = failure;
    if (why == null
        || state != State.FREEING
        || !granted.isFenced()
        || (destination != null && !destination.isIdle())) {
      return;
    }
    become(State.OVER);
    failure = null;
    granted.free();
    if (destination == null) {
      handle.fail(why);
    } else {
      destination.discard(mayGoOnLater(why.status()), () -> handle.fail(why));
    }
  }

  /** Returns whether nobody gave it up, but its peer, its link or its time ran out. */
  private static boolean mayGoOnLater(RpcStatus why) {
    return why == RpcStatus.UNAVAILABLE || why == RpcStatus.DEADLINE_EXCEEDED;
  }

  @Override
  void pathClosed(BulkPath closed) {
    if (granted.pathClosed(closed)) {
      moveOn();
    }
  }
}
