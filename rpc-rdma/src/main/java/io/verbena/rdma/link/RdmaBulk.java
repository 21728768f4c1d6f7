package io.verbena.rdma.link;

import io.verbena.core.NanoClock;
import io.verbena.core.link.BulkPort;
import io.verbena.core.link.BulkRegion;
import io.verbena.core.link.BulkTarget;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.link.PinningCosts;
import io.verbena.core.link.RemoteTarget;
import io.verbena.core.link.SendResult;
import io.verbena.core.memory.Quota;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.Registration;
import io.verbena.rdma.wire.Advertisement;
import io.verbena.rdma.wire.Features;
import io.verbena.rdma.wire.Immediate;
import io.verbena.rdma.wire.SendHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Bulk bytes of one link, by WRITE into targets that the peer has advertised. The last WRITE before
 * a checkpoint carries an immediate; where a device has none, or a Send must go anyway, a note
 * follows it.
 */
final class RdmaBulk implements BulkPort {
  private final LinkLife life;
  private final LinkFaults faults;
  private final Domain domain;
  private final Quota.Share pins;
  private final SendSide sends;
  private final BulkSends writes;
  private final RdmaSettings settings;
  private final NanoClock clock;
  private final RdmaCounters counters;
  private final Runnable whenUnused;
  private final int features;
  private final OwnTargets own;
  private final PeerTargets remotes = new PeerTargets();

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
   * @param pins this link's part of what may be registered
   * @param whenUnused runs when the link has ended and its last region is released
   */
  RdmaBulk(
      LinkLife life,
      LinkFaults faults,
      Domain domain,
      Quota.Share pins,
      SendSide sends,
      BulkSends writes,
      LinkContext context,
      RdmaDevice device,
      Runnable whenUnused) {
    this.life = life;
    this.faults = faults;
    this.domain = domain;
    this.pins = pins;
    this.sends = sends;
    this.writes = writes;
    this.settings = context.settings();
    this.clock = context.clock();
    this.counters = context.counters();
    this.features = device.features();
    this.whenUnused = whenUnused;
    this.own = new OwnTargets(life, faults, domain, pins, sends, writes, context, due::add);
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
      Registration made = memory.byteSize() == 0 ? null : domain.attach(memory, life, pins);
      regions++;
      return new RdmaRegion(this, memory, made);
    } catch (IOException e) {
      throw OwnTargets.shortOfMemory(e);
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
    return own.open(mine.registration(), memory, listener);
  }

  /** Returns the ranges that are open to the peer. */
  OwnTargets own() {
    return own;
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
    if (!faults.posts(writes::stepOrders)) {
      return SendResult.CLOSED;
    }
    if (!writes.hasRoom()) {
      blocked = true;
      counters.backPressured();
      return SendResult.BACK_PRESSURED;
    }
    int lkey = region.registration().lkey();
    boolean sent = faults.posts(() -> post(to, at, from, lkey, length, checkpoint, whenWritten));
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

  /**
   * The link is gone. Where it was not destroyed at first, this is told again once it is.
   *
   * @param destroyed whether the queue pair surely touches no memory any more
   */
  void end(boolean destroyed) {
    ended = true;
    fenced = destroyed;
    due.clear();
    own.end(destroyed);
    leaveIfUnused();
  }
}
