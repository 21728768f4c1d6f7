package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.LimitedWait;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.BulkPort;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An object to be sent. Its bytes come from a {@link Supply} and are written into the memory that
 * the receiver has granted.
 *
 * <pre>
 *   WRITING ──all written, and the receiver waits to hear so──→ SENT
 *   any ──DONE from the receiver──→ OVER
 *   any ──cancel, failure, peer lost──→ OVER, told when no memory is read any more
 * </pre>
 *
 * <p>Another supply replaces the first one if the receiver wants a checksum that is not being
 * computed, or has a beginning of the object. The new supply continues after an equal beginning,
 * and starts at 0 after another one.
 *
 * <pre>
 *   READ ──a checksum is wanted──→ CHANGING ──closed──→ READ, summed
 *     └──a beginning from before──→ COMPARING ──read again──→ CHANGING
 * </pre>
 */
final class OutgoingTransfer extends BulkTransfer {
  /** The most chunks without a checkpoint. A lost link has at most these to send again. */
  private static final int MOST_UNCHECKED_CHUNKS = 24;

  /** The most half windows without a checkpoint, if nothing waits for one. */
  private static final int MOST_UNCHECKED_HALVES = 6;

  private static final int MOST_GRANTS = 64;

  private enum State {
    WRITING,
    /** The end was announced. A grant of a new generation makes this end write again. */
    SENT,
    OVER
  }

  private enum Reading {
    READ,
    /** This supply is being closed, and another replaces it. */
    CHANGING,
    /** The receiver waits for the offset where the object begins, and opens nothing meanwhile. */
    COMPARING
  }

  /** Granted memory and its progress. */
  private static final class Granted {
    final BulkPath path;
    final RemoteTarget target;
    final long offset;
    final long size;
    long written;

    Granted(BulkPath path, RemoteTarget target, long offset, long size) {
      this.path = path;
      this.target = target;
      this.offset = offset;
      this.size = size;
    }

    long left() {
      return size - written;
    }
  }

  private final OpenSource source;
  private Supply supply;
  private Reading reading = Reading.READ;

  /** Whether memory may be filled before the receiver has opened its own. */
  private final boolean ahead;

  /** Whether the supply computes the checksum. */
  private boolean summed;

  private @Nullable Reread reread;

  /** Runs after a change of supplies. */
  private @Nullable Runnable whenChanged;

  /** The receiver's grants in order. A grant of a later generation voids all earlier ones. */
  private final ArrayDeque<Granted> grants = new ArrayDeque<>();

  /** Whether the grants belong to more than one path. */
  private boolean severalPaths;

  /**
   * Whether a path of this generation is closed. The receiver notices it and grants everything
   * again.
   */
  private boolean voided;

  private final Transfers transfers;
  private int generation;
  private long grantedUpTo;

  /** The paths that a turn has tried, if there are several. Empty between turns. */
  private final ArrayList<BulkPath> tried = new ArrayList<>(0);

  private final LimitedWait room;
  private final long length;
  private final Runnable whenReleased;
  private State state = State.WRITING;
  private long writtenUpTo;
  private long confirmed;

  /** The bytes since the last checkpoint. Each grant ends with one. */
  private long unchecked;

  /** Whether the receiver compares a checksum. */
  private boolean checked;

  private boolean resumeHeard;

  /** Whether memory was granted before the offer. The object may have to go elsewhere. */
  private boolean grantedEarly;

  /** Whether the transfer is in the queue of those that may have something to write. */
  boolean queued;

  enum Turn {
    WROTE,
    /** The path accepts nothing now. */
    BLOCKED,
    /** The transfer has nothing to write now. */
    IDLE
  }

  OutgoingTransfer(
      Transfers transfers,
      TransferHandle handle,
      long id,
      OpenSource source,
      boolean checked,
      boolean pushed,
      Runnable whenReleased) {
    super(transfers.session, handle, id, pushed || transfers.ids.isOwn(id));
    this.transfers = transfers;
    this.source = source;
    this.length = source.length();
    this.checked = checked;
    this.ahead =
        begunHere || TransferIds.isOfACall(id); // otherwise the peer may never open its memory
    Crc crc = crc(source, checked);
    this.summed = crc != null;
    this.supply = supply(this, source, 0, crc);
    this.whenReleased = whenReleased;
    this.room = new LimitedWait(session.loop(), this::proceed);
    handle.total(length);
  }

  /**
   * Returns an empty checksum if one is to be computed; otherwise null. Bytes that exist only once
   * always get one, because the receiver may ask when they are gone.
   */
  private static @Nullable Crc crc(OpenSource source, boolean checked) {
    return checked || source instanceof OpenSource.Made ? new Crc() : null;
  }

  /**
   * Returns a supply of the source from an offset.
   *
   * @param crc the checksum of earlier bytes, to be continued; null: no checksum is wanted
   */
  private static Supply supply(
      OutgoingTransfer owner, OpenSource source, long from, @Nullable Crc crc) {
    if (source instanceof OpenSource.Joined(List<OpenSource> pieces) && crc == null) {
      return new JoinedSupply(
          owner,
          pieces.stream().filter(piece -> piece.length() > 0).toList(),
          piece -> supply(owner, piece, 0, crc(piece, false)));
    }
    if (source instanceof OpenSource.InMemory memory
        && memory.memory().isNative()
        && (memory.life() == MemoryLife.HELD
            || memory.length() >= owner.session.pathCosts().cutOffs().inPlace())) {
      return new MemorySupply(owner, memory, crc != null);
    }
    return new StagedSupply(owner, owner.transfers.readAhead, source, from, crc);
  }

  void begin() {
    supply.begin(ahead);
    transfers.queue(this);
  }

  // ---- from the receiver ----

  /** Takes the grants that came before the offer. */
  void granted(List<Grant> before) {
    grantedEarly = !before.isEmpty();
    for (Grant grant : before) {
      String wrong = granted(grant);
      if (wrong != null) {
        fail(RpcStatus.PROTOCOL_ERROR, wrong);
      }
    }
  }

  /** Takes a grant of the receiver. Returns the protocol violation, or null. */
  @Nullable String granted(Grant grant) {
    if (isOver() || grant.generation() < generation) {
      return null;
    }
    if (reading == Reading.COMPARING) {
      return "a grant before the object's beginning was agreed";
    }
    if (grant.generation() > generation) {
      if (grant.offset() < confirmed || grant.offset() > writtenUpTo) {
        return "a grant from " + grant.offset() + " although " + confirmed + " was confirmed";
      }
      generation = grant.generation();
      voided = false;
      grantedUpTo = grant.offset();
      grants.clear();
      confirmed(grant.offset());
    }
    if (grant.offset() != grantedUpTo || grants.size() == MOST_GRANTS) {
      return "a grant from " + grant.offset() + " after one up to " + grantedUpTo;
    }
    grantedUpTo += grant.length();
    BulkPath path = session.bulkPath(grant.epoch());
    if (length - confirmed >= session.context().bulk().railsFrom()) {
      session.requestPaths();
    }
    if (path == null || path.isClosed()) {
      voided = true;
      grants.clear();
    }
    if (voided || path == null) {
      return null;
    }
    RemoteTarget target;
    try {
      target = path.port.remote(grant.advertisement());
    } catch (LinkException e) {
      fail(RpcStatus.PROTOCOL_ERROR, String.valueOf(e.getMessage()), e, true);
      return null;
    }
    if (target.length() != grant.length()) {
      return "a grant of " + grant.length() + " that advertises " + target.length();
    }
    long size = Math.min(grant.length(), length - grant.offset());
    severalPaths = !grants.isEmpty() && (severalPaths || grants.getFirst().path != path);
    grants.add(new Granted(path, target, grant.offset(), size));
    transfers.queue(this);
    return null;
  }

  /**
   * Handles a receiver that compares a checksum of everything and has a beginning, which may belong
   * to another object. Returns the protocol violation, or null.
   *
   * @param upTo the length of the beginning; 0: none
   * @param sum the checksum of the beginning
   */
  @Nullable String resumes(long upTo, int sum) {
    if (isOver()) {
      return null;
    }
    boolean begun = grantedEarly ? confirmed > 0 : generation > 0;
    if (resumeHeard || begun || upTo < 0 || upTo >= length) {
      return "a beginning of " + upTo + " bytes for an object of " + length;
    }
    resumeHeard = true;
    checked = true;
    voided = true; // what has been written does not count
    grants.clear();
    writtenUpTo = 0;
    if (upTo > 0 && source.readBy() != RunOn.USER) { // user code is called once, in order
      reading = Reading.COMPARING;
      supply.close(() -> readAgain(upTo, sum));
      return null;
    }
    if (upTo > 0) {
      beginAt(0);
    }
    if (!summed) {
      reading = Reading.CHANGING;
      supply.close(() -> goOnFrom(0, new Crc()));
    }
    return null;
  }

  private void readAgain(long upTo, int sum) {
    if (isOver()) {
      goOnFrom(0, new Crc());
    } else {
      Reread begun =
          new Reread(
              session, transfers.rereads, source, upTo, failure -> readAgain(upTo, sum, failure));
      reread = begun;
      begun.begin();
    }
  }

  private void readAgain(long upTo, int sum, @Nullable Throwable failure) {
    Crc crc = Objects.requireNonNull(reread).crc;
    reread = null;
    reading = Reading.CHANGING;
    if (failure != null) {
      broken(failure);
    }
    boolean same = !isOver() && crc.value() == sum;
    if (!isOver()) {
      beginAt(same ? upTo : 0);
    }
    goOnFrom(same ? upTo : 0, same ? crc : new Crc());
  }

  private void goOnFrom(long from, Crc crc) {
    reading = Reading.READ;
    if (whenChanged != null) {
      whenChanged.run();
      return;
    }
    summed = true;
    supply = supply(this, source, from, crc);
    supply.begin(ahead);
    proceed();
  }

  /** Stops writing. The callback runs when nothing is read any more, maybe at once. */
  private void closeSupply(Runnable then) {
    if (reading == Reading.READ) {
      supply.close(then);
      return;
    }
    whenChanged = then;
    if (reread != null) {
      reread.stop();
    }
  }

  private void beginAt(long from) {
    if (from > 0) {
      writtenUpTo = from;
      confirmed = from;
      handle.resumedFrom(from);
    }
    session.sendBulk(FrameKind.BULK_RESUMED, id, out -> out.writeVarLong(from));
  }

  /** Takes the number of bytes that the receiver has. Returns the protocol violation, or null. */
  @Nullable String progressed(long upTo) {
    if (upTo > writtenUpTo) {
      return upTo + " bytes confirmed although " + writtenUpTo + " were written";
    }
    confirmed(upTo);
    return null;
  }

  private void confirmed(long upTo) {
    if (upTo > confirmed && !isOver()) {
      confirmed = upTo;
      handle.confirmed(upTo);
      supply.confirmed(upTo);
      transfers.queue(this);
    }
  }

  /** Ends the transfer. The receiver has all bytes. Returns the protocol violation, or null. */
  @Nullable String done() {
    if (isOver()) {
      return null;
    }
    if (writtenUpTo < length || (state != State.SENT && endsBySent(checked, length))) {
      return "an object was confirmed before it was sent";
    }
    confirmed(length);
    end(true);
    closeSupply(
        () -> {
          release();
          handle.succeed(Arrived.elsewhere(length));
        });
    return null;
  }

  @Override
  public boolean isOver() {
    return state == State.OVER;
  }

  @Override
  void end(boolean well) {
    state = State.OVER;
    transfers.ended(this, well);
  }

  @Override
  long confirmed() {
    return confirmed;
  }

  @Override
  void release(TransferException failure) {
    grants.clear();
    room.end();
    closeSupply(
        () -> {
          release();
          handle.fail(failure);
        });
  }

  private void release() {
    source.close();
    whenReleased.run();
    transfers.ids.remove(this);
  }

  @Override
  void pathClosed(BulkPath path) {
    if (grants.stream().anyMatch(grant -> grant.path == path)) {
      voided = true; // nothing is written after a gap
      grants.clear();
    }
  }

  @Override
  void proceed() {
    transfers.queue(this);
    session.schedulePump();
  }

  // ---- turns ----

  /** Writes one chunk, if there is one and the path has room. */
  Turn takeTurn() {
    if (isOver() || reading != Reading.READ) {
      return Turn.IDLE;
    }
    room.beginAttempt();
    try {
      return write();
    } catch (LinkException e) {
      waitForRoom(e);
      return Turn.IDLE;
    } catch (IOException | TransferProblem | RuntimeException | InternalError e) {
      broken(e); // an InternalError where a mapped file has become shorter
      return Turn.IDLE;
    }
  }

  private void waitForRoom(LinkException why) {
    if (!room.goesOn(why.shortage())) {
      broken(why);
    }
  }

  private Turn write() throws LinkException, IOException, TransferProblem {
    Granted grant = grants.peek();
    while (grant != null && grant.left() <= 0) {
      grants.remove();
      grant = grants.peek();
    }
    if (grant == null) {
      sendIfSent();
      return Turn.IDLE;
    }
    Turn turn = write(grant);
    return turn == Turn.WROTE || !severalPaths ? turn : writeElsewhere(grant, turn);
  }

  /** Writes on another path than the one that does not accept the first bytes. */
  private Turn writeElsewhere(Granted first, Turn ofFirst)
      throws LinkException, IOException, TransferProblem {
    Turn turn = ofFirst;
    tried.clear();
    tried.add(first.path);
    for (Granted grant : grants) {
      boolean isNext = grant.left() > 0 && !tried.contains(grant.path);
      if (isNext) {
        tried.add(grant.path);
        if (supply.hasReady(grant.offset + grant.written)) {
          Turn its = write(grant);
          if (its == Turn.WROTE) {
            return its;
          }
          turn = its == Turn.BLOCKED ? its : turn;
        }
      }
    }
    return turn;
  }

  private Turn write(Granted grant) throws LinkException, IOException, TransferProblem {
    long at = grant.offset + grant.written;
    int most = (int) Math.min(grant.path.port.chunkBytes(), grant.left());
    int ready = supply.ready(grant.path, at, most);
    if (ready == 0) {
      return Turn.IDLE;
    }
    if (!grant.path.hasRoom(ready)) {
      return Turn.BLOCKED;
    }
    boolean checkpoint =
        ready == grant.left()
            || unchecked + ready >= untilCheckpoint(grant.path.port)
            || supply.waitsForConfirmation(at + ready);
    Supply.Piece piece = new Supply.Piece(at, grant.written, ready, checkpoint);
    SendResult result = supply.write(grant.path, grant.target, piece, this::proceed);
    if (result != SendResult.SENT) {
      return Turn.BLOCKED;
    }
    room.end();
    grant.written += ready;
    unchecked = checkpoint ? 0 : unchecked + ready;
    writtenUpTo = Math.max(writtenUpTo, at + ready);
    session.context().bulk().counters().sent(ready);
    return Turn.WROTE;
  }

  /**
   * Returns the bytes until the next checkpoint. Each checkpoint costs a message back. If it frees
   * no memory, a sixth of the checkpoints is enough.
   */
  private long untilCheckpoint(BulkPort port) {
    long chunk = port.chunkBytes();
    long half = Math.max(chunk, port.windowBytes() / 2);
    boolean rarely = half < MOST_UNCHECKED_CHUNKS * chunk && !supply.keepsUnconfirmed();
    return rarely ? Math.min(MOST_UNCHECKED_HALVES * half, MOST_UNCHECKED_CHUNKS * chunk) : half;
  }

  private void sendIfSent() {
    if (state != State.WRITING || writtenUpTo < length || !endsBySent(checked, length)) {
      return;
    }
    Integer checksum = supply.checksum();
    if (checksum != null) {
      state = State.SENT;
      session.sendBulk(FrameKind.BULK_SENT, id, out -> out.writeInt(checksum));
    }
  }
}
