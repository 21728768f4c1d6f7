package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.destination.Arrived;
import io.verbena.core.bulk.memory.Crc;
import io.verbena.core.bulk.source.OpenSource;
import io.verbena.core.bulk.supply.Rereads;
import io.verbena.core.bulk.supply.Supply;
import io.verbena.core.bulk.work.By;
import io.verbena.core.bulk.work.LimitedWait;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.link.BulkPort;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.RemoteTarget;
import io.verbena.core.link.SendResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An object on its way out. It is written where and as far as the receiver has granted memory; a
 * grant of a later generation makes all earlier ones void, and says where to go on. A landing that
 * stands open is as a grant of generation 0.
 *
 * <pre>
 *   GRANTED ──all written──→ WRITTEN ──DONE from the receiver──→ over
 *      ↑ a new generation       │
 *      └────────────────────────┘
 *   any ──cancel, failure, peer lost──→ over, when no memory is read any more
 * </pre>
 */
final class OutgoingTransfer extends BulkTransfer implements Supply.Owner {
  private static final int MOST_GRANTS = 64;

  /** So many chunks are written without a checkpoint at most: a lost link has them sent again. */
  private static final int MOST_UNCHECKED_CHUNKS = 24;

  /** So many half windows, where nothing waits for a checkpoint. */
  private static final int MOST_UNCHECKED_HALVES = 6;

  private final OpenSource source;
  private Supply supply;
  private final LimitedWait room;
  private final long length;
  private final Runnable whenReleased;
  private final ArrayDeque<Granted> grants = new ArrayDeque<>();
  private int generation;
  private long grantedUpTo;
  private long writtenUpTo;
  private long confirmed;
  private long unchecked;
  private boolean sentSaid;

  /** Whether the receiver compares a checksum. */
  private boolean checked;

  /** Whether it knows the checksum. */
  private boolean summed;

  /** Another supply takes this one's place, when this one is closed and a beginning is read. */
  private boolean changing;

  private boolean resumeHeard;

  /** Whether the receiver waits to hear where it begins, and so opens nothing. */
  private boolean answering;

  private Rereads.@Nullable Reread reread;

  /** What waits for that. */
  private @Nullable Runnable whenChanged;

  /** Where it goes before anything is granted; null without, and once that is void. */
  private StandingTargets.@Nullable Target standing;

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

  private static final class Granted {
    final BulkPath path;
    final RemoteTarget target;
    final long offset;
    final long length;
    long written;

    Granted(BulkPath path, RemoteTarget target, long offset, long length) {
      this.path = path;
      this.target = target;
      this.offset = offset;
      this.length = length;
    }
  }

  OutgoingTransfer(
      Transfers transfers,
      TransferHandle handle,
      long id,
      OpenSource source,
      boolean checked,
      Runnable whenReleased) {
    super(transfers, handle, id);
    this.source = source;
    this.length = source.length();
    this.checked = checked;
    this.summed = Supply.isSummed(source, checked);
    this.supply = Supply.of(host, transfers.readAhead(), source, checked);
    this.whenReleased = whenReleased;
    this.room = new LimitedWait(host.loop(), () -> transfers.written(this));
    handle.total(length);
  }

  /** Goes into a landing that it fits, without waiting for a grant; before it begins. */
  void goInto(StandingTargets.Target target) {
    standing = target;
    grants.add(new Granted(target.path, target.remote, 0, length));
  }

  void begin() {
    beginSupply();
  }

  private void beginSupply() {
    supply.begin(this, !transfers.isFetchedByPeer(id)); // who may never open his memory
    transfers.queue(this);
  }

  // ---- from the receiver ----

  /** Memory was opened for it; returns what is wrong with that, or null. */
  @Nullable String granted(Grant grant) {
    if (isOver() || grant.generation() < generation) {
      return null;
    }
    if (answering) {
      return "a grant before it is said where the object begins";
    }
    if (grant.generation() > generation) {
      if (grant.offset() < confirmed || grant.offset() > writtenUpTo) {
        return "a grant from " + grant.offset() + ", where " + confirmed + " was confirmed";
      }
      generation = grant.generation();
      grants.clear();
      standing = null;
      grantedUpTo = grant.offset();
      confirmed(grant.offset());
    }
    if (grant.offset() != grantedUpTo || grants.size() == MOST_GRANTS) {
      return "a grant from " + grant.offset() + " behind one up to " + grantedUpTo;
    }
    grantedUpTo += grant.length();
    BulkPath path = host.bulkPath(grant.epoch());
    if (path == null || path.isClosed()) {
      return null; // the receiver will find out, and grant anew
    }
    try {
      RemoteTarget target = path.port().remote(grant.advertisement());
      if (target.length() != grant.length()) {
        return "a grant of " + grant.length() + " that advertises " + target.length();
      }
      grants.add(new Granted(path, target, grant.offset(), grant.length()));
    } catch (LinkException e) {
      fail(RpcStatus.PROTOCOL_ERROR, String.valueOf(e.getMessage()), e, true);
    }
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
    if (resumeHeard || generation > 0 || standing != null || upTo < 0 || upTo >= length) {
      return "a beginning of " + upTo + " bytes from before, of " + length;
    }
    resumeHeard = true;
    checked = true;
    if (upTo > 0 && source.readBy() != By.USER) { // who is called once, in order
      answering = true;
      change(() -> readAgain(upTo, sum));
      return null;
    }
    if (upTo > 0) {
      sayResumed(0);
    }
    if (!summed) {
      change(() -> goOnFrom(0, new Crc()));
    }
    return null;
  }

  private void change(Runnable whenClosed) {
    changing = true;
    supply.close(whenClosed);
  }

  private void readAgain(long upTo, int sum) {
    if (isOver()) {
      goOnFrom(0, new Crc());
    } else {
      reread = transfers.rereads().begin(source, upTo, failure -> readAgain(upTo, sum, failure));
    }
  }

  private void readAgain(long upTo, int sum, @Nullable Throwable failure) {
    Crc crc = Objects.requireNonNull(reread).crc();
    reread = null;
    answering = false;
    if (failure != null) {
      fail(failure);
    }
    boolean same = !isOver() && crc.value() == sum;
    if (same) {
      writtenUpTo = upTo;
      confirmed = upTo;
      handle.resumedFrom(upTo);
    }
    if (!isOver()) {
      sayResumed(same ? upTo : 0);
    }
    goOnFrom(same ? upTo : 0, same ? crc : new Crc());
  }

  private void sayResumed(long from) {
    host.sendBulk(FrameKind.BULK_RESUMED, id, out -> out.writeVarLong(from));
  }

  private void goOnFrom(long from, Crc crc) {
    changing = false;
    Runnable then = whenChanged;
    if (then != null) {
      then.run();
      return;
    }
    summed = true;
    supply = Supply.from(host, transfers.readAhead(), source, from, crc);
    beginSupply();
    suppliesMore();
  }

  private void closeSupply(Runnable then) {
    if (!changing) {
      supply.close(then);
      return;
    }
    whenChanged = then;
    if (reread != null) {
      reread.stop();
    }
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
    if (writtenUpTo < length || (!sentSaid && endsBySent(checked, length))) {
      return "an object that was not sent is said to have arrived";
    }
    confirmed(length);
    succeeded();
    if (standing != null) {
      standing.giveBack();
    }
    supply.close(
        () -> {
          release();
          handle.succeed(Arrived.elsewhere(length));
        });
    return null;
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
    transfers.released(this);
  }

  @Override
  void pathClosed(BulkPath path) {
    grants.removeIf(grant -> grant.path == path);
  }

  // ---- from the supply ----

  @Override
  public void suppliesMore() {
    transfers.queue(this);
    host.schedulePump();
  }

  @Override
  public void cannotSupply(Throwable cause) {
    fail(cause);
  }

  // ---- turns ----

  /** Writes one chunk, if it may and can. */
  Turn takeTurn() {
    if (isOver() || changing) {
      return Turn.IDLE;
    }
    room.tries();
    try {
      return write();
    } catch (LinkException e) {
      waitForRoom(e);
      return Turn.IDLE;
    } catch (IOException | TransferProblem | RuntimeException | InternalError e) {
      fail(e); // an InternalError where a mapped file has become shorter
      return Turn.IDLE;
    }
  }

  private void waitForRoom(LinkException why) {
    if (!room.goesOn(why)) {
      fail(why);
    }
  }

  private Turn write() throws LinkException, IOException, TransferProblem {
    Granted grant = next();
    if (grant == null) {
      sayIfSent();
      return Turn.IDLE;
    }
    long at = grant.offset + grant.written;
    int most = (int) Math.min(grant.path.port().chunkBytes(), left(grant));
    int ready = supply.ready(grant.path, at, most);
    if (ready == 0) {
      return Turn.IDLE;
    }
    if (!grant.path.hasRoom(ready)) {
      return Turn.BLOCKED;
    }
    boolean checkpoint =
        ready == left(grant)
            || unchecked + ready >= untilCheckpoint(grant.path.port())
            || supply.waitsForConfirmation(at + ready);
    Supply.Piece piece = new Supply.Piece(at, grant.written, ready, checkpoint);
    SendResult result =
        supply.write(grant.path, grant.target, piece, () -> transfers.written(this));
    if (!(result instanceof SendResult.Sent)) {
      return Turn.BLOCKED;
    }
    room.ends();
    grant.written += ready;
    unchecked = checkpoint ? 0 : unchecked + ready;
    writtenUpTo = Math.max(writtenUpTo, at + ready);
    host.bulkContext().counters().bytesSent.addAndGet(ready);
    return Turn.WROTE;
  }

  /** Each checkpoint costs a message back. Where nothing is freed by that, a sixth as many do. */
  private long untilCheckpoint(BulkPort port) {
    long chunk = port.chunkBytes();
    long half = Math.max(chunk, port.windowBytes() / 2);
    boolean rarely = half < MOST_UNCHECKED_CHUNKS * chunk && !supply.keepsUnconfirmed();
    return rarely ? Math.min(MOST_UNCHECKED_HALVES * half, MOST_UNCHECKED_CHUNKS * chunk) : half;
  }

  private long left(Granted grant) {
    return Math.min(grant.length, length - grant.offset) - grant.written;
  }

  private @Nullable Granted next() {
    Granted grant = grants.peek();
    while (grant != null && left(grant) <= 0) {
      grants.remove();
      grant = grants.peek();
    }
    return grant;
  }

  private void sayIfSent() {
    if (sentSaid || writtenUpTo < length || !endsBySent(checked, length)) {
      return;
    }
    Integer checksum = supply.checksum();
    if (checksum != null) {
      sentSaid = true;
      host.sendBulk(FrameKind.BULK_SENT, id, out -> out.writeInt(checksum));
    }
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
}
