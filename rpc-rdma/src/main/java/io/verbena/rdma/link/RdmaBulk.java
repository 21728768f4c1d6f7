package io.verbena.rdma.link;

import io.verbena.core.NanoClock;
import io.verbena.core.link.BulkPort;
import io.verbena.core.link.BulkRegion;
import io.verbena.core.link.BulkTarget;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkException.Shortage;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.link.PinningCosts;
import io.verbena.core.link.RemoteTarget;
import io.verbena.core.link.SendResult;
import io.verbena.core.memory.Waiters;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.Exposure;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.Registration;
import io.verbena.rdma.wire.Advertisement;
import io.verbena.rdma.wire.Features;
import io.verbena.rdma.wire.Immediate;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.verbs.ext.MemoryWindow;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Bulk bytes of one link, by WRITE into targets that the peer has advertised. The last WRITE before
 * a checkpoint carries an immediate; where a device has none, or a Send must go anyway, a note
 * follows it.
 */
final class RdmaBulk implements BulkPort {
  /** A peer answers a revocation when its loop runs; a pause of its JVM is tolerated. */
  private static final long REVOKE_NANOS = Duration.ofSeconds(30).toNanos();

  private final LinkLife life;
  private final LinkFaults faults;
  private final Domain domain;
  private final SendSide sends;
  private final BulkSends writes;
  private final RdmaSettings settings;
  private final NanoClock clock;
  private final RdmaCounters counters;
  private final Runnable whenUnused;
  private final int features;
  private final TargetTable targets = new TargetTable();
  private final Waiters names = new Waiters(targets::free);
  private final PeerTargets remotes = new PeerTargets();

  /** In the order of their deadlines. */
  private final ArrayDeque<OwnTarget> revoking = new ArrayDeque<>();

  /** What is to be told outside of the polling of completions. */
  private final ArrayDeque<Runnable> due = new ArrayDeque<>();

  private boolean immediates;
  private boolean blocked;
  private boolean ended;

  /** Ended, and nothing of the link's is touched by the device any more. */
  private boolean fenced;

  private int regions;

  /**
   * The bulk side of a link that is not open yet.
   *
   * @param whenUnused runs when the link has ended and its last region is released
   */
  RdmaBulk(
      LinkLife life,
      LinkFaults faults,
      Domain domain,
      SendSide sends,
      BulkSends writes,
      LinkContext context,
      RdmaDevice device,
      Runnable whenUnused) {
    this.life = life;
    this.faults = faults;
    this.domain = domain;
    this.sends = sends;
    this.writes = writes;
    this.settings = context.settings();
    this.clock = context.clock();
    this.counters = context.counters();
    this.features = device.features();
    this.whenUnused = whenUnused;
  }

  /** The peer has said what its device can do. */
  void peerFeatures(int peers) {
    immediates = (features & peers & Features.WRITE_WITH_IMMEDIATE) != 0;
  }

  @Override
  public int chunkBytes() {
    return settings.bulkChunkBytes();
  }

  @Override
  public long windowBytes() {
    return settings.bulkWindowBytes();
  }

  @Override
  public CompletionStage<PinningCosts> pinning() {
    return life.isOpen() ? domain.pinning(clock) : BulkPort.super.pinning();
  }

  // ---- regions ----

  @Override
  public BulkRegion attach(MemorySegment memory, MemoryLife life) throws LinkException {
    if (!memory.isNative()) {
      throw new IllegalArgumentException("bulk memory is native; copy what is on the heap");
    }
    if (ended) {
      throw new LinkException("the link is closed", null);
    }
    try {
      Registration made = memory.byteSize() == 0 ? null : domain.attach(memory, life);
      regions++;
      return new RdmaRegion(this, memory, made);
    } catch (IOException e) {
      throw shortOfMemory(memory.byteSize(), e);
    }
  }

  void released(@Nullable Registration registration) {
    if (registration != null) {
      domain.release(registration);
    }
    regions--;
    leaveIfUnused();
  }

  private void leaveIfUnused() {
    if (fenced && regions == 0) {
      whenUnused.run();
    }
  }

  // ---- the receiving end ----

  @Override
  public BulkTarget open(BulkRegion region, long offset, long length, BulkTarget.Listener listener)
      throws LinkException {
    if (length < 1) {
      throw new IllegalArgumentException("a target has at least 1 byte, not " + length);
    }
    RdmaRegion mine = mine(region);
    MemorySegment memory = mine.memory().asSlice(offset, length);
    if (!life.isOpen()) {
      return new OwnTarget(this, null, new Advertisement(0, 0, 0, length, 0), listener);
    }
    int name = targets.claim();
    if (name < 0) {
      throw LinkException.shortOf(
          new Shortage(names, 1),
          TargetTable.MOST_OPEN + " targets are open on this link already; close some",
          null);
    }
    try {
      return open(name, domain.expose(mine.registration(), memory), listener);
    } catch (IOException e) {
      targets.unclaim(name);
      throw shortOfMemory(length, e);
    }
  }

  private LinkException shortOfMemory(long bytes, IOException why) {
    Shortage shortage = new Shortage(domain.waiters(), bytes);
    return LinkException.shortOf(shortage, String.valueOf(why.getMessage()), why);
  }

  private OwnTarget open(int name, Exposure exposure, BulkTarget.Listener listener) {
    int unitShift = Integer.numberOfTrailingZeros(settings.bulkChunkBytes());
    Advertisement advertisement =
        new Advertisement(name, exposure.rkey(), exposure.address(), exposure.length(), unitShift);
    OwnTarget target = new OwnTarget(this, exposure, advertisement, listener);
    targets.put(target);
    counters.openBytes(target.length());
    MemoryWindow window = exposure.window();
    if (window != null) {
      post(() -> writes.bind(exposure, window));
    }
    return target;
  }

  void closing(OwnTarget target) {
    counters.quarantinedBytes(target.length());
    if (!life.isOpen()) {
      return; // the link's end fences everything
    }
    if (target.isComplete()) {
      shut(target);
      return;
    }
    target.revoking(clock.nanoTime() + REVOKE_NANOS);
    revoking.add(target);
    life.watch();
    post(() -> sends.order(SendHeader.REVOKE, target.target()));
  }

  /** Nothing comes any more: takes the key away. */
  private void shut(OwnTarget target) {
    target.shutting();
    Exposure exposure = target.exposure();
    if (exposure != null && exposure.window() != null) {
      post(() -> writes.invalidate(exposure.rkey(), () -> fenced(target, false)));
    } else {
      fenced(target, false);
    }
  }

  private void fenced(OwnTarget target, boolean bound) {
    targets.remove(target);
    names.freed();
    Exposure exposure = target.exposure();
    if (exposure != null) {
      domain.conceal(exposure, bound);
    }
    counters.openBytes(-target.length());
    if (target.isClosed()) {
      counters.quarantinedBytes(-target.length());
    }
    target.fenced();
  }

  /** Returns the target that a peer means; null if there is none. */
  @Nullable OwnTarget find(int target) {
    return targets.find(target);
  }

  /** The peer says that it leaves a target alone; returns what is wrong with that, or null. */
  @Nullable String revoked(int name) {
    OwnTarget target = targets.find(name);
    if (target == null || !target.isRevoking()) {
      return "the peer gave up a target that it was not asked for";
    }
    target.shutting();
    revoking.remove(target);
    due.add(() -> shut(target));
    return null;
  }

  // ---- the sending end ----

  @Override
  public RemoteTarget remote(ByteBuffer advertisement) throws LinkException {
    Advertisement read = Advertisement.decode(advertisement);
    if (Immediate.slot(read.target()) >= TargetTable.MOST_OPEN) {
      throw new LinkException("the peer advertises more targets than there may be", null);
    }
    PeerTarget target = new PeerTarget(this, read);
    remotes.told(target);
    return target;
  }

  /** The peer wants a target left alone; returns what is wrong with that, or null. */
  @Nullable String revoke(int target) throws IOException {
    if (!remotes.revoke(target)) {
      return "the peer revoked a target that it cannot have";
    }
    if (writes.waitingOrders() > 2 * TargetTable.MOST_OPEN) {
      return "the peer revokes targets and takes no answer";
    }
    sends.order(SendHeader.REVOKED, target); // behind all WRITEs to it
    return null;
  }

  @Override
  public SendResult write(
      RemoteTarget target,
      long at,
      BulkRegion source,
      long offset,
      int length,
      boolean checkpoint,
      Runnable whenWritten) {
    PeerTarget to = mine(target);
    RdmaRegion region = mine(source);
    if (!to.takes(at, length)) {
      throw new IllegalArgumentException(
          "%d bytes at %d do not come next, or do not fit a target of %d"
              .formatted(length, at, to.length()));
    }
    long from = region.memory().asSlice(offset, length).address();
    if (!life.isOpen()) {
      return SendResult.CLOSED;
    }
    if (to.isRevoked()) {
      to.wrote(length);
      due.add(whenWritten);
      life.becomeDue();
      return SendResult.SENT;
    }
    if (!post(writes::stepOrders)) {
      return SendResult.CLOSED;
    }
    if (!writes.hasRoom()) {
      blocked = true;
      counters.backPressured();
      return SendResult.BACK_PRESSURED;
    }
    int lkey = region.registration().lkey();
    boolean sent = post(() -> post(to, at, from, lkey, length, checkpoint, whenWritten));
    return sent ? SendResult.SENT : SendResult.CLOSED;
  }

  private void post(
      PeerTarget to,
      long at,
      long from,
      int lkey,
      int length,
      boolean checkpoint,
      Runnable whenWritten)
      throws IOException {
    sends.flush(); // frames that came before go before
    boolean silent = !checkpoint && (!immediates || to.canTellLater(length));
    if (!silent && immediates && to.canTellByImmediate() && !writes.needSend()) {
      int immediate = to.immediate();
      writes.writeWithImmediate(to, at, from, lkey, length, immediate, whenWritten);
      to.wrote(length);
      to.tell();
      return;
    }
    writes.write(to, at, from, lkey, length, whenWritten);
    to.wrote(length);
    if (!silent) {
      sends.orderArrived(to.target(), to.tell());
    }
  }

  private interface Posting {
    void run() throws IOException;
  }

  /** Returns whether the link still stands. */
  private boolean post(Posting posting) {
    try {
      posting.run();
      return true;
    } catch (IOException e) {
      faults.postingFailed(e);
      return false;
    }
  }

  private RdmaRegion mine(BulkRegion region) {
    if (region instanceof RdmaRegion mine && mine.owner() == this) {
      return mine;
    }
    throw new IllegalArgumentException("a region of another link");
  }

  private PeerTarget mine(RemoteTarget target) {
    if (target instanceof PeerTarget mine && mine.owner() == this) {
      return mine;
    }
    throw new IllegalArgumentException("a target of another link");
  }

  // ---- from the link ----

  /** Posts what waits and tells what is due; returns how much. */
  int step() throws IOException {
    int work = 0;
    if (life.isOpen()) {
      writes.stepOrders();
    }
    Runnable next;
    while ((next = writes.nextDue()) != null || (next = due.poll()) != null) {
      next.run();
      work++;
    }
    return work;
  }

  /** Returns whether a write that was turned back has room now; true once. */
  boolean hasRoomAgain() {
    if (!blocked || !writes.hasRoom()) {
      return false;
    }
    blocked = false;
    return true;
  }

  /** Returns whether the peer has not answered in time; else whether it still has time. */
  boolean isOverdue(long now) {
    OwnTarget first = revoking.peek();
    return first != null && now - first.deadline() >= 0;
  }

  boolean isRevoking() {
    return !revoking.isEmpty();
  }

  /**
   * The link is gone. Where it was not destroyed at first, this is told again once it is.
   *
   * @param destroyed whether the queue pair surely touches no memory any more
   */
  void end(boolean destroyed) {
    ended = true;
    fenced = destroyed;
    due.clear();
    revoking.clear();
    for (OwnTarget target : targets.all()) {
      try {
        if (destroyed) {
          fenced(target, true);
        } else {
          target.lost();
        }
      } catch (RuntimeException e) {
        faults.targetsOwnerFailed(e);
      }
    }
    leaveIfUnused();
  }
}
