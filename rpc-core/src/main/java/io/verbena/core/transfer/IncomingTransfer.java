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
 * An arriving object. Memory is opened piece by piece. A full piece is closed. When the peer is
 * fenced off it, the destination takes it.
 *
 * <pre>
 *   NEW ──→ PREPARING ──memory claimed──→ MOVING ──all arrived, fenced, stored──→ FINISHING ──→ FINISHED ──→ OVER
 *    │          ↑                         ↑  │ └──all arrived in memory──→ TOLD ──fenced──↑
 *    │          └──it is not──┐           │  ├──→ AWAITS_OFFER ──offered──→ MOVING
 *    └──claimed at once───────│───────────┘  │
 *                             └── ASKED ←────┘ ──it is──→ MOVING
 *   any ──cancel, failure, peer lost──→ FREEING ──fenced, idle──→ OVER; out of PREPARING by GIVEN_UP
 *   MOVING, opened before a push was offered ──the handler does not mind──→ LEFT
 *   except TOLD and FINISHING, which go to OVER if the object is in its place, and to FREEING only
 *   if a device refuses to fence the peer off
 * </pre>
 *
 * When the path is lost or changed while the object moves, every piece is closed, fenced, and
 * opened again from the confirmed offset.
 *
 * <p>The length is known, so the object is complete with its last byte. If a checksum is compared,
 * or the object is empty, the sender must also announce the end. In TOLD the sender has received
 * {@code DONE}, and only the user of this end waits for the fence.
 */
public final class IncomingTransfer extends BulkTransfer {
  private static final long UNKNOWN = -1;

  private enum State {
    /** Its length is not known, or not checked yet. */
    NEW,
    /** The destination claims its resources, or begins again. */
    PREPARING,
    /** The sender is asked whether a beginning belongs to its object. */
    ASKED,
    /**
     * No memory could be granted before the request of the call, and the sender expects no grant
     * after it.
     */
    AWAITS_OFFER,
    /** Memory is opened and filled. */
    MOVING,
    /**
     * The sender knows that all bytes have arrived. The user waits until the sender is fenced off.
     */
    TOLD,
    /** The destination stores the last bytes and compares the checksum. */
    FINISHING,
    /** The destination has reported whether the object is complete. */
    FINISHED,
    /** The transfer has failed, and its destination is still being prepared. */
    GIVEN_UP,
    /** The transfer has failed. Its memory is free when the peer is fenced off. */
    FREEING,
    /** The transfer has ended and waits for nothing. */
    OVER,
    /** Its memory belongs to the transfer of a push, which was offered later. */
    LEFT;

    /** Returns the next state. No other transitions exist. */
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
            case LEFT -> this == MOVING;
          };
      if (!may) {
        throw new IllegalStateException(
            "an arriving object cannot go from " + this + " to " + next);
      }
      return next;
    }

    /** Returns whether the transfer is over, well or not. */
    boolean hasEnded() {
      return this == GIVEN_UP || this == FREEING || this == OVER || this == LEFT;
    }

    /** Returns whether memory may be opened, and whether arrived bytes may be completed. */
    boolean moves() {
      return this == MOVING || isBeingSeen();
    }

    /**
     * Returns whether only the destination decides the outcome. The object is complete and being
     * put in its place, or its sender was told so.
     */
    boolean isBeingSeen() {
      return this == TOLD || this == FINISHING;
    }
  }

  /** Null until the landing of a pushed object is known. */
  private @Nullable Destination destination;

  /** Waits for memory or files that others hold, then for room on a path. */
  final LimitedWait wait;

  /** A destination that is being prepared elsewhere. */
  private @Nullable Destination prepares;

  private boolean attempting;

  private final Transfers transfers;
  private final UnaryOperator<Received> whenReceived;
  private GrantedPieces granted;
  private State state = State.NEW;

  private long length = UNKNOWN;

  /** The number of bytes that are here. */
  private long confirmed;

  /** The length of the beginning that the sender is asked about; 0 for none. */
  private long asked;

  private final Checksum checksum;

  /** Whether the sender knows that a checksum is compared. */
  private boolean agreed;

  private @Nullable Integer sendersChecksum;

  /** Whether the peer pushes the object. */
  private final boolean pushed;

  /** Whether its memory waits for a push that is not offered yet. */
  private boolean waits;

  /** Has memory that is open already, while the handler is asked; else null. */
  private @Nullable IncomingTransfer early;

  /** Withdraws the question for a landing. Returns false if the handler was already called. */
  private BooleanSupplier takenBack = () -> false;

  /** Whether {@link #moveOn} runs. A nested call makes it run once more. */
  private boolean movingOn;

  private boolean movesAgain;

  /** A failure that counts unless the object turns out to be complete. */
  private @Nullable Runnable putOff;

  private @Nullable TransferException failure;

  /**
   * Whether some of the memory cannot be fenced. Then all of it is kept and nothing waits for it.
   */
  private boolean lost;

  /**
   * Makes a transfer.
   *
   * @param destination null if a handler chooses it
   * @param checksum when a checksum is compared. The sender knows of it if that is always
   * @param whenReceived takes the arrived object before the handle does, and returns the one for
   *     the handle
   */
  IncomingTransfer(
      Transfers transfers,
      TransferHandle handle,
      long id,
      @Nullable Destination destination,
      Checksum checksum,
      UnaryOperator<Received> whenReceived) {
    super(transfers.session, handle, id, destination != null && transfers.ids.isOwn(id));
    this.transfers = transfers;
    this.wait = new LimitedWait(session.loop(), this::look);
    this.granted = new GrantedPieces(this);
    this.checksum = checksum;
    this.agreed = checksum == Checksum.ALWAYS;
    this.whenReceived = whenReceived;
    this.pushed = destination == null;
    if (destination != null) {
      setDestination(destination);
    }
  }

  /** Makes a landing in pooled memory for a push that is not offered yet. */
  static IncomingTransfer early(Transfers transfers, long id, long bytes) {
    SessionImpl session = transfers.session;
    TransferHandle nobodys = new TransferHandle(session.loop(), "a push that is not offered yet");
    MemoryDestination memory = new MemoryDestination(session, bytes);
    IncomingTransfer landing =
        new IncomingTransfer(transfers, nobodys, id, memory, Checksum.NEVER, received -> received);
    landing.waits = true;
    return landing;
  }

  private void look() {
    if (state == State.PREPARING) {
      attempt();
    } else {
      proceed();
    }
  }

  private void setDestination(Destination to) {
    destination = to;
    to.setOwner(this);
  }

  Destination destination() {
    return Objects.requireNonNull(destination, "the transfer has no destination yet");
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
   * Asks the push handler for a landing, and begins. Handlers are called in turn, so a peer that
   * gives up at once cannot start more of them.
   *
   * @param open has memory that was open before; null if none has
   */
  void ask(PushTaker taker, PushHandler.Offer offer, @Nullable IncomingTransfer open) {
    early = open;
    handle.total(offer.length());
    length = offer.length();
    Destination[] answer = new Destination[1];
    RunOn.Work ask = () -> answer[0] = destination(session, taker.ask(offer));
    if (taker.onLoop) {
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
    } else if (landsEarly(answer)) {
      become(State.MOVING);
      advance();
      goOn();
    } else if (state == State.NEW && answer.isQuicklyPrepared(length)) {
      setDestination(answer);
      begin(length);
    } else {
      if (state == State.NEW) {
        become(State.PREPARING);
      }
      answer.setOwner(this);
      prepareElsewhere(answer);
    }
  }

  /** Lets the object land in memory that was open before its offer, if the handler agrees. */
  private boolean landsEarly(Destination answer) {
    IncomingTransfer open = early;
    if (open == null) {
      return false;
    }
    early = null;
    if (!answer.isPooled() || open.state != State.MOVING) {
      granted.follow(open.granted);
      open.drop();
      transfers.early.landedElsewhere();
      return false;
    }
    open.become(State.LEFT);
    setDestination(open.destination());
    granted = open.granted;
    granted.belongTo(this);
    return true;
  }

  /** Opens memory for a push that is not offered yet. Ends if there is no room. */
  void openEarly() {
    if (prepareNow(destination().capacity()) == null) {
      become(State.MOVING);
      moveOn();
    }
    if (!granted.isAnyOpen()) {
      drop();
    }
    wait.end();
  }

  /** Frees memory that no push uses. */
  void drop() {
    fail(RpcStatus.CANCELLED, "no push used it", null, false);
  }

  // ---- how long it is ----

  /** Takes the length of the object, claims memory and opens it. */
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

  /**
   * Prepares the destination. Tries again when the holder of the file or of the memory has given
   * way.
   */
  private void attempt() {
    Destination where = prepares;
    if (where != null && !attempting) {
      attempting = true;
      wait.beginAttempt();
      where.preparedBy().run(session, () -> where.prepare(length, checksum), this::attempted);
    }
  }

  private void attempted(@Nullable Throwable failure) {
    attempting = false;
    Shortage shortage = TransferProblem.shortageOf(failure);
    if (shortage != null && !isOver() && wait.goesOn(shortage)) {
      return;
    }
    wait.end();
    destination = failure == null ? prepares : destination;
    prepared(failure);
  }

  /** Stops preparing. Callbacks that wait for the preparation still run later. */
  private void prepareNoMore() {
    if (state == State.GIVEN_UP && wait.isUnderWay() && !attempting) {
      wait.end();
      session.loop().execute(() -> prepared(null));
    }
  }

  /**
   * Opens memory before the length is known, if that is cheap, so that the object can be sent
   * without an offer. If there is no path, or no room on it, memory is opened after the offer.
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
        wait.end(); // waiting for room begins later
      } else if (TransferProblem.shortageOf(problem) == null) {
        broken(problem);
      } // otherwise the offer looks for room
    }
  }

  /** Takes the length from the sender's offer. Returns the protocol violation, or null. */
  @Nullable String offered(long objectLength) {
    if (isOver()) {
      return null;
    }
    if (isAnnounced()) {
      return "an object was offered twice";
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

  /** Returns whether the length of the object is known. */
  boolean isAnnounced() {
    return length != UNKNOWN;
  }

  /** Sets the length. Fails the transfer if the object is too long. */
  private boolean fits(long objectLength) {
    handle.total(objectLength);
    length = objectLength;
    long capacity = destination().capacity();
    if (objectLength <= capacity) {
      return true;
    }
    fail(
        RpcStatus.INVALID_ARGUMENT,
        "its destination takes " + capacity + " bytes, the object has " + objectLength);
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
        sendResume(beginning);
      }
      moveOn();
    } else {
      become(State.ASKED);
      asked = beginning.length();
      sendResume(beginning);
    }
  }

  private void sendResume(Destination.Beginning beginning) {
    agreed = true;
    session.sendBulk(
        FrameKind.BULK_RESUME,
        id,
        out -> {
          out.writeVarLong(beginning.length());
          out.writeInt(beginning.crc());
        });
  }

  /** Takes the offset where the sender begins. Returns the protocol violation, or null. */
  @Nullable String resumed(long from) {
    if (isOver()) {
      return null;
    }
    if (state != State.ASKED || (from != 0 && from != asked)) {
      return "an object that begins at " + from + " although " + asked + " was requested";
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

  /** Opens memory on the current path. A close within this method may call it again. */
  void moveOn() {
    if (early != null) {
      early.moveOn();
    }
    movesAgain = true;
    if (movingOn) {
      return;
    }
    movingOn = true;
    while (movesAgain && state.moves()) {
      movesAgain = false;
      if (waits && !transfers.early.needsNoDevice()) {
        granted.leavePaths(); // what comes is granted again
      } else {
        granted.moveOn(isAnnounced() ? length : destination().capacity(), !isAnnounced());
      }
      finishIfWhole();
    }
    movingOn = false;
  }

  private void goOn() {
    moveOn();
    session.schedulePump();
  }

  /** Notes that some of the memory can never be fenced. */
  void lost() {
    lost = true;
    TransferException why = failure;
    if (why != null) {
      handle.fail(why);
    } else {
      fail(
          RpcStatus.INTERNAL,
          "its link is gone, but the device may still write into its memory, which cannot be used"
              + " again: restart this process. Its log says what the device refused");
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

  /** Handles more arrived bytes, or the length of the object. */
  private void advance() {
    if (!isAnnounced()) {
      return; // its bytes may have to go elsewhere
    }
    LandingPiece head = granted.head();
    while (head != null) {
      confirmed(head.offset + head.arrived());
      if (isOver() || confirmed < Math.min(head.end(), length)) {
        return;
      }
      granted.closeHead();
      head = granted.head();
    }
  }

  private void confirmed(long upTo) {
    if (upTo > length) {
      // A landing that was open before the offer may have room for more bytes than the object has.
      String why = "of " + length + " bytes " + upTo + " arrived";
      fail(RpcStatus.PROTOCOL_ERROR, why);
    } else if (upTo > confirmed) {
      session.context().bulk().counters().received(upTo - confirmed);
      confirmed = upTo;
      handle.confirmed(upTo);
      transfers.queueProgress(this);
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
  void proceed() {
    if (isOver()) {
      freeIfFenced();
    } else {
      goOn();
    }
  }

  /** Notes that the sender has written all bytes. Returns the protocol violation, or null. */
  @Nullable String sent(int itsChecksum) {
    if (sendersChecksum != null) {
      return "an object was sent twice";
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
      sendDone();
    }
    if (granted.isFenced() && destination().isIdle()) {
      become(State.FINISHING);
      destination().finish(length, agreed ? sendersChecksum : null, this::finished);
    }
  }

  private void sendDone() {
    transfers.arrived(id, length, pushed);
    peerWaits = false;
  }

  /**
   * Postpones a failure while a complete object is being put in its place, or if the sender was
   * told that it is complete. Only the destination decides then, because an object in its place
   * must not be reported as failed. The number of the transfer may belong to another one as soon as
   * the peer no longer waits.
   */
  @Override
  boolean postpone(Runnable failing) {
    if (lost || !state.isBeingSeen()) {
      return false;
    }
    if (!peerWaits) {
      transfers.forget(this);
    }
    putOff = putOff == null ? failing : putOff;
    return true;
  }

  private void finished(@Nullable Throwable problem) {
    become(State.FINISHED);
    if (problem == null) {
      complete();
    } else if (putOff != null) {
      putOff.run();
    } else {
      broken(problem);
    }
  }

  private void complete() {
    end(true);
    if (peerWaits) {
      sendDone();
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
  void end(boolean well) {
    State failed = state == State.PREPARING ? State.GIVEN_UP : State.FREEING;
    become(well ? State.OVER : failed);
    if (waits) {
      transfers.forget(this);
    } else {
      transfers.ended(this, well);
    }
  }

  /** Returns whether the object was offered, or the transfer is over already. */
  public boolean isOnItsWay() {
    return isOver() || isAnnounced();
  }

  @Override
  public long confirmed() {
    return confirmed;
  }

  /**
   * Returns how many bytes of memory the transfer holds while it makes no progress; 0 while it
   * waits for more.
   */
  public long takes() {
    return isOver() ? 0 : destination().takes();
  }

  @Override
  void release(TransferException why) {
    failure = why;
    prepareNoMore();
    if (early != null) {
      early.drop();
      early = null;
    }
    Destination given = destination != null ? destination : prepares;
    if (given != null) {
      given.giveUp();
    }
    if (destination == null && takenBack.getAsBoolean()) {
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

  /**
   * Returns whether a later transfer may resume: the peer, the link or the time was lost, and no
   * user cancelled.
   */
  private static boolean mayGoOnLater(RpcStatus why) {
    return why == RpcStatus.UNAVAILABLE || why == RpcStatus.DEADLINE_EXCEEDED;
  }

  @Override
  void pathClosed(BulkPath closed) {
    if (early != null) {
      early.pathClosed(closed);
    }
    if (granted.pathClosed(closed)) {
      moveOn();
    }
  }
}
