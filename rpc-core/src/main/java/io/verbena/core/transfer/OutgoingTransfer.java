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
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An object on its way out. It is written where and as far as the receiver has granted memory, from
 * what a {@link Supply} reads.
 *
 * <pre>
 *   WRITING ──all written, and the receiver waits to hear so──→ SENT
 *   any ──DONE from the receiver──→ OVER
 *   any ──cancel, failure, peer lost──→ OVER, told when no memory is read any more
 * </pre>
 *
 * <p>Where the receiver compares a checksum that is not made, or has a beginning from before,
 * another supply takes the place of the first: it goes on behind that beginning, if it is the same,
 * else it begins anew.
 *
 * <pre>
 *   READ ──a checksum is wanted──→ CHANGING ──closed──→ READ, summed
 *     └──a beginning from before──→ COMPARING ──read again──→ CHANGING
 * </pre>
 */
final class OutgoingTransfer extends BulkTransfer {
  /** So many chunks are written without a checkpoint at most: a lost link has them sent again. */
  private static final int MOST_UNCHECKED_CHUNKS = 24;

  /** So many half windows, where nothing waits for a checkpoint. */
  private static final int MOST_UNCHECKED_HALVES = 6;

  private static final int MOST_GRANTS = 64;

  private enum State {
    WRITING,
    /** It was said that all is written; a grant of a new generation has it written again. */
    SENT,
    OVER
  }

  private enum Reading {
    READ,
    /** Another supply takes this one's place, when this one is closed. */
    CHANGING,
    /** The receiver waits to hear where the object begins, and so opens nothing. */
    COMPARING
  }

  /**
   * A receiver's grant.
   *
   * @param generation counts the times that memory was granted anew
   * @param offset where in the object it begins
   * @param length how long it is
   * @param epoch of the link that it is written over
   * @param advertisement what the link knows it by
   */
  record Grant(int generation, long offset, long length, int epoch, ByteBuffer advertisement) {}

  /** Memory that was granted, and how far it is written. */
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

  /** Whether memory may be read into before the receiver has opened his. */
  private final boolean ahead;

  /** Whether the supply knows the checksum. */
  private boolean summed;

  private @Nullable Reread reread;

  /** What waits for the end of a change of supplies. */
  private @Nullable Runnable whenChanged;

  /** What the receiver has opened, in its order; one of a later generation voids all before. */
  private final ArrayDeque<Granted> grants = new ArrayDeque<>();

  /** Not all of them are of one path. */
  private boolean severalPaths;

  /** A path of this generation is closed: the receiver finds out, and grants all of it anew. */
  private boolean voided;

  private final Transfers transfers;
  private int generation;
  private long grantedUpTo;

  /** Those that a turn has tried, where there are several; empty between turns. */
  private final ArrayList<BulkPath> tried = new ArrayList<>(0);

  private final LimitedWait room;
  private final long length;
  private final Runnable whenReleased;
  private State state = State.WRITING;
  private long writtenUpTo;
  private long confirmed;

  /** Written since the last checkpoint, which the end of each grant is. */
  private long unchecked;

  /** Whether the receiver compares a checksum. */
  private boolean checked;

  private boolean resumeHeard;

  /** Whether it stands in the queue of those that may have something to write. */
  boolean queued;

  /** What became of a turn. */
  enum Turn {
    WROTE,
    /** Its path takes nothing now. */
    BLOCKED,
    /** It has nothing to write now. */
    IDLE
  }

  OutgoingTransfer(
      Transfers transfers,
      TransferHandle handle,
      long id,
      OpenSource source,
      boolean checked,
      Runnable whenReleased) {
    super(transfers.session, handle, id);
    this.transfers = transfers;
    this.source = source;
    this.length = source.length();
    this.checked = checked;
    this.ahead = !transfers.ids.isBegunByPeer(id); // who may never open his memory
    Crc crc = crc(source, checked);
    this.summed = crc != null;
    this.supply = supply(this, source, 0, crc);
    this.whenReleased = whenReleased;
    this.room = new LimitedWait(session.loop(), this::moves);
    handle.total(length);
  }

  /**
   * Returns a checksum of nothing yet, where one is made; else null. Of what is made once it is
   * made unasked: the receiver may ask when that is gone.
   */
  private static @Nullable Crc crc(OpenSource source, boolean checked) {
    return checked || source instanceof OpenSource.Made ? new Crc() : null;
  }

  /**
   * Returns what supplies a source's bytes from somewhere on.
   *
   * @param crc of what is before, to be gone on with; null where no checksum is wanted
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
            || memory.length() >= owner.session.cutOffs().inPlace())) {
      return new MemorySupply(owner, memory, crc != null);
    }
    return new StagedSupply(owner, owner.transfers.readAhead, source, from, crc);
  }

  void begin() {
    supply.begin(ahead);
    transfers.queue(this);
  }

  // ---- from the receiver ----

  /** Memory was opened for it; returns what is wrong with that, or null. */
  @Nullable String granted(Grant grant) {
    if (isOver() || grant.generation() < generation) {
      return null;
    }
    if (reading == Reading.COMPARING) {
      return "a grant before it is said where the object begins";
    }
    if (grant.generation() > generation) {
      if (grant.offset() < confirmed || grant.offset() > writtenUpTo) {
        return "a grant from " + grant.offset() + ", where " + confirmed + " was confirmed";
      }
      generation = grant.generation();
      voided = false;
      grantedUpTo = grant.offset();
      grants.clear();
      confirmed(grant.offset());
    }
    if (grant.offset() != grantedUpTo || grants.size() == MOST_GRANTS) {
      return "a grant from " + grant.offset() + " behind one up to " + grantedUpTo;
    }
    grantedUpTo += grant.length();
    BulkPath path = session.bulkPath(grant.epoch());
    if (length - confirmed >= session.bulkContext().railsFrom()) {
      session.wantsPaths();
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
      target = path.port().remote(grant.advertisement());
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
   * The receiver compares a checksum of all, and has a beginning from before, which may be of
   * another object; returns what is wrong with that, or null.
   *
   * @param upTo how much it has; 0: nothing
   * @param sum the checksum of that
   */
  @Nullable String resumes(long upTo, int sum) {
    if (isOver()) {
      return null;
    }
    if (resumeHeard || generation > 0 || upTo < 0 || upTo >= length) {
      return "a beginning of " + upTo + " bytes from before, of " + length;
    }
    resumeHeard = true;
    checked = true;
    if (upTo > 0 && source.readBy() != RunOn.USER) { // who is called once, in order
      reading = Reading.COMPARING;
      supply.close(() -> readAgain(upTo, sum));
      return null;
    }
    if (upTo > 0) {
      beginsAt(0);
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
    Crc crc = Objects.requireNonNull(reread).crc();
    reread = null;
    reading = Reading.CHANGING;
    if (failure != null) {
      broken(failure);
    }
    boolean same = !isOver() && crc.value() == sum;
    if (!isOver()) {
      beginsAt(same ? upTo : 0);
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
    moves();
  }

  /** No more is written; hears, maybe at once, when nothing is read any more. */
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

  private void beginsAt(long from) {
    if (from > 0) {
      writtenUpTo = from;
      confirmed = from;
      handle.resumedFrom(from);
    }
    session.sendBulk(FrameKind.BULK_RESUMED, id, out -> out.writeVarLong(from));
  }

  /** The receiver has so many bytes; returns what is wrong with that, or null. */
  @Nullable String progressed(long upTo) {
    if (upTo > writtenUpTo) {
      return upTo + " bytes confirmed, where " + writtenUpTo + " were written";
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

  /** The receiver has all of it; returns what is wrong with that, or null. */
  @Nullable String done() {
    if (isOver()) {
      return null;
    }
    if (writtenUpTo < length || (state != State.SENT && endsBySent(checked, length))) {
      return "an object that was not sent is said to have arrived";
    }
    confirmed(length);
    succeeded();
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
  void ends(boolean well) {
    state = State.OVER;
    transfers.ended(this, well);
  }

  @Override
  long confirmed() {
    return confirmed;
  }

  @Override
  void failed(TransferException failure) {
    grants.clear();
    room.ends();
    closeSupply(
        () -> {
          release();
          handle.fail(failure);
        });
  }

  private void release() {
    source.close();
    whenReleased.run();
    transfers.ids.leaves(id);
  }

  @Override
  void pathClosed(BulkPath path) {
    if (grants.stream().anyMatch(grant -> grant.path == path)) {
      voided = true; // nothing is written beyond what is missing
      grants.clear();
    }
  }

  @Override
  void moves() {
    transfers.queue(this);
    session.schedulePump();
  }

  // ---- turns ----

  /** Writes one chunk, if it may and can. */
  Turn takeTurn() {
    if (isOver() || reading != Reading.READ) {
      return Turn.IDLE;
    }
    room.tries();
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
      sayIfSent();
      return Turn.IDLE;
    }
    Turn turn = write(grant);
    return turn == Turn.WROTE || !severalPaths ? turn : writeElsewhere(grant, turn);
  }

  /** Writes to memory on another path than the one that does not take what comes first. */
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
    int most = (int) Math.min(grant.path.port().chunkBytes(), grant.left());
    int ready = supply.ready(grant.path, at, most);
    if (ready == 0) {
      return Turn.IDLE;
    }
    if (!grant.path.hasRoom(ready)) {
      return Turn.BLOCKED;
    }
    boolean checkpoint =
        ready == grant.left()
            || unchecked + ready >= untilCheckpoint(grant.path.port())
            || supply.waitsForConfirmation(at + ready);
    Supply.Piece piece = new Supply.Piece(at, grant.written, ready, checkpoint);
    SendResult result = supply.write(grant.path, grant.target, piece, this::moves);
    if (result != SendResult.SENT) {
      return Turn.BLOCKED;
    }
    room.ends();
    grant.written += ready;
    unchecked = checkpoint ? 0 : unchecked + ready;
    writtenUpTo = Math.max(writtenUpTo, at + ready);
    session.bulkContext().counters().sent(ready);
    return Turn.WROTE;
  }

  /** Each checkpoint costs a message back. Where nothing is freed by that, a sixth as many do. */
  private long untilCheckpoint(BulkPort port) {
    long chunk = port.chunkBytes();
    long half = Math.max(chunk, port.windowBytes() / 2);
    boolean rarely = half < MOST_UNCHECKED_CHUNKS * chunk && !supply.keepsUnconfirmed();
    return rarely ? Math.min(MOST_UNCHECKED_HALVES * half, MOST_UNCHECKED_CHUNKS * chunk) : half;
  }

  private void sayIfSent() {
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
