package io.verbena.rdma.link;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.PinningCost;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Quota;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.Registration;
import io.verbena.rdma.wire.Advertisement;
import io.verbena.rdma.wire.Immediate;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.verbs.ext.Access;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The bulk bytes of one link, by WRITE into targets that the peer has advertised. The last WRITE
 * before a checkpoint carries an immediate. If a device has no immediates, or a Send must go
 * anyway, a note follows the WRITE instead. On the loop.
 */
final class RdmaBulk implements BulkPort {
  /** More than can be under way. */
  private static final int MOST_REVOKED_EARLY = 4 * LocalTargets.Names.MOST_OPEN;

  private final RdmaLink link;
  private final Domain domain;
  private final Quota.Share pins;
  private final SendSide sends;
  private final LinkContext context;
  private final Runnable whenUnused;
  private final LocalTargets local;

  /**
   * The peer's targets, the latest of each slot. The peer advertises the targets of one slot in
   * order, each when the one before is fenced. Advertisements come in messages and in frames, and
   * either may be delayed.
   */
  private final Int2ObjectHashMap<PeerTarget> remotes = new Int2ObjectHashMap<>();

  /**
   * By slot, the peer's early revocations, in order: a revocation may arrive before the
   * advertisement of its target. Notes are read before frames, and frames may come over another
   * link.
   */
  private final Int2ObjectHashMap<IntArrayList> revokedEarly = new Int2ObjectHashMap<>();

  private int revokedEarlyInAll;

  private final Set<UnderWay> underWay = new LinkedHashSet<>();
  private boolean immediates;
  private boolean ended;

  /** The link has ended, and the device does not touch any memory of it. */
  private boolean fenced;

  /** The last region was released after that. */
  private boolean unused;

  private int regions;

  /**
   * Makes the bulk side of a link that is not open yet.
   *
   * @param pins this link's part of the memory that may be registered
   * @param whenUnused runs when the link has ended and its last region is released
   */
  RdmaBulk(
      RdmaLink link,
      Domain domain,
      Quota.Share pins,
      SendSide sends,
      LinkContext context,
      Runnable whenUnused) {
    this.link = link;
    this.domain = domain;
    this.pins = pins;
    this.sends = sends;
    this.context = context;
    this.whenUnused = whenUnused;
    this.local = new LocalTargets(link, domain, pins, sends, context, link::tellLater);
  }

  /** Uses immediates, which the devices of both ends support. */
  void useImmediates() {
    immediates = true;
  }

  @Override
  public int chunkBytes() {
    return context.settings().bulkChunkBytes();
  }

  @Override
  public long windowBytes() {
    return context.settings().bulkWindowBytes();
  }

  @Override
  public CompletionStage<PinningCost> pinning() {
    return link.isOpen() ? link.device().pinning(context.clock()) : BulkPort.super.pinning();
  }

  // ---- regions ----

  /** Memory that is registered for one link. */
  private final class Region implements BulkRegion {
    private final MemorySegment memory;

    /** Null if the region is empty or released. */
    private @Nullable Registration registration;

    private boolean released;

    Region(MemorySegment memory, @Nullable Registration registration) {
      this.memory = memory;
      this.registration = registration;
    }

    @Override
    public MemorySegment memory() {
      return memory;
    }

    @Override
    public void release() {
      if (released) {
        return;
      }
      released = true;
      Registration was = registration;
      registration = null;
      if (was != null) {
        domain.release(was);
      }
      regions--;
      leaveIfUnused();
    }

    private RdmaBulk owner() {
      return RdmaBulk.this;
    }

    private Registration registration() {
      Registration current = registration;
      if (current == null) {
        throw new IllegalStateException("the region is released, or empty");
      }
      return current;
    }
  }

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
      return new Region(memory, made);
    } catch (IOException e) {
      throw LocalTargets.shortOfMemory(e);
    }
  }

  private void leaveIfUnused() {
    if (fenced && regions == 0 && !unused) {
      unused = true; // callbacks of the end may release the last region
      whenUnused.run();
    }
  }

  private Region mine(BulkRegion region) {
    if (region instanceof Region mine && mine.owner() == this) {
      return mine;
    }
    throw new IllegalArgumentException("a region of another link");
  }

  // ---- the receiving end ----

  @Override
  public BulkTarget open(BulkRegion region, long offset, long length, BulkTarget.Listener listener)
      throws LinkException {
    if (length < 1) {
      throw new IllegalArgumentException("a target has at least 1 byte, not " + length);
    }
    Region mine = mine(region);
    MemorySegment memory = mine.memory.asSlice(offset, length);
    boolean mayCopy = memory.isAccessibleBy(Thread.currentThread()) && !memory.isReadOnly();
    return local.open(mine.registration(), memory, Access.REMOTE_WRITE, mayCopy, listener);
  }

  @Override
  public boolean isOneSided() {
    return link.reads();
  }

  @Override
  public BulkTarget expose(MemorySegment memory, boolean reads, boolean writes)
      throws LinkException {
    int rights = (reads ? Access.REMOTE_READ : 0) | (writes ? Access.REMOTE_WRITE : 0);
    return local.open(null, memory, rights, false, upTo -> {});
  }

  /** Returns the ranges that are open to the peer. */
  LocalTargets local() {
    return local;
  }

  // ---- the sending end ----

  /** A target of the peer's, for the writer. */
  private final class PeerTarget implements RemoteTarget {
    private final Advertisement advertisement;
    private long written;
    private long told;
    private boolean revoked;

    /** Requests of {@link #access} under way. A revocation is confirmed after them. */
    private int accesses;

    private boolean owesRevoked;

    PeerTarget(Advertisement advertisement) {
      this.advertisement = advertisement;
    }

    @Override
    public long length() {
      return advertisement.length();
    }

    private RdmaBulk owner() {
      return RdmaBulk.this;
    }

    /** Returns whether these bytes are next and fit. */
    private boolean takes(long at, int length) {
      return at == written && length > 0 && length <= advertisement.length() - at;
    }

    /** Returns whether an immediate can report this many bytes of earlier WRITEs. */
    private boolean fitsImmediate(long bytes) {
      long units = bytes >>> advertisement.unitShift();
      return units << advertisement.unitShift() == bytes && units <= Immediate.MOST_UNITS;
    }

    /** Returns the immediate that reports the WRITEs before the one that it comes with. */
    private int immediate() {
      int units = (int) ((written - told) >>> advertisement.unitShift());
      return Immediate.of(units, advertisement.target());
    }
  }

  @Override
  public RemoteTarget remote(ByteBuffer advertisement) throws LinkException {
    Advertisement read = Advertisement.decode(advertisement);
    int slot = Immediate.slot(read.target());
    PeerTarget target = new PeerTarget(read);
    PeerTarget known = remotes.get(slot);
    if (known != null && isBefore(read.target(), known.advertisement.target())) {
      target.revoked = true; // its advertisement was delayed
      return target;
    }
    remotes.put(slot, target);
    target.revoked = wasRevoked(slot, read.target());
    return target;
  }

  /** Drops earlier names of the slot, whose advertisements will not arrive any more. */
  private boolean wasRevoked(int slot, int name) {
    IntArrayList early = revokedEarly.get(slot);
    boolean found = false;
    while (early != null && !found && !early.isEmpty() && isNotBehind(early.getInt(0), name)) {
      found = early.removeAt(0) == name;
      revokedEarlyInAll--;
    }
    if (early != null && early.isEmpty()) {
      revokedEarly.remove(slot);
    }
    return found;
  }

  private static boolean isBefore(int name, int other) {
    return name != other && isNotBehind(name, other);
  }

  /** Epochs wrap around. */
  private static boolean isNotBehind(int name, int other) {
    int later = Immediate.epoch(other) - Immediate.epoch(name);
    return (later & (Immediate.EPOCHS - 1)) < Immediate.EPOCHS / 2;
  }

  /** The peer revokes a target; returns the broken rule, or null. */
  @Nullable String revoke(int name) throws IOException {
    int slot = Immediate.slot(name);
    if (slot >= LocalTargets.Names.MOST_OPEN) {
      return "the peer revoked a target that it cannot have";
    }
    PeerTarget target = remotes.get(slot);
    if (target != null && target.advertisement.target() == name) {
      target.revoked = true;
      if (target.accesses > 0) { // a READ may run after a Send that was posted later
        target.owesRevoked = true;
        return null;
      }
    } else {
      if (revokedEarlyInAll == MOST_REVOKED_EARLY) {
        return "the peer revokes targets that it never advertises";
      }
      revokedEarlyInAll++;
      revokedEarly.computeIfAbsent(slot, none -> new IntArrayList()).addInt(name);
    }
    if (sends.waitingOrders() > 2 * LocalTargets.Names.MOST_OPEN) {
      return "the peer revokes targets and takes no answer";
    }
    sends.note(SendHeader.REVOKED, name); // after all WRITEs to the target
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
    Region region = mine(source);
    if (!to.takes(at, length)) {
      throw new IllegalArgumentException(
          "%d bytes at %d do not come next, or do not fit a target of %d"
              .formatted(length, at, to.length()));
    }
    long from = region.memory.asSlice(offset, length).address();
    if (!link.isOpen()) {
      return SendResult.CLOSED;
    }
    if (to.revoked) {
      to.written += length;
      link.tellLater(whenWritten);
      link.becomeReady();
      return SendResult.SENT;
    }
    try {
      sends.stepOrders();
      if (!sends.hasRoomForWrite()) {
        link.writeTurnedBack();
        context.counters().backPressured.increment();
        return SendResult.BACK_PRESSURED;
      }
      post(to, from, region.registration().lkey(), length, checkpoint, whenWritten);
      return SendResult.SENT;
    } catch (IOException e) {
      link.postingFailed(e);
      return SendResult.CLOSED;
    }
  }

  private void post(
      PeerTarget to, long from, int lkey, int length, boolean checkpoint, Runnable whenWritten)
      throws IOException {
    sends.flush(); // after frames that were sent before
    long untold = to.written - to.told;
    boolean silent = !checkpoint && (!immediates || to.fitsImmediate(untold + length));
    long address = to.advertisement.address() + to.written;
    int rkey = to.advertisement.rkey();
    if (!silent && immediates && to.fitsImmediate(untold) && !sends.needSend()) {
      sends.writeWithImmediate(to.immediate(), address, rkey, from, lkey, length, whenWritten);
      to.written += length;
      to.told = to.written;
      return;
    }
    sends.write(address, rkey, from, lkey, length, whenWritten);
    to.written += length;
    if (!silent) {
      to.told = to.written;
      sends.noteArrived(to.advertisement.target(), to.told);
    }
  }

  // ---- access to the peer's memory ----

  /** A READ or WRITE of {@link #access}. */
  private final class UnderWay implements Runnable {
    private final PeerTarget target;
    private final Runnable whenDone;
    private final Runnable whenFree;

    UnderWay(PeerTarget target, Runnable whenDone, Runnable whenFree) {
      this.target = target;
      this.whenDone = whenDone;
      this.whenFree = whenFree;
    }

    @Override
    public void run() {
      if (underWay.remove(this)) {
        left();
        whenDone.run();
      }
    }

    private void left() {
      target.accesses--;
      if (target.owesRevoked && target.accesses == 0 && link.isOpen()) {
        target.owesRevoked = false;
        try {
          sends.note(SendHeader.REVOKED, target.advertisement.target());
        } catch (IOException e) {
          link.postingFailed(e);
        }
      }
    }
  }

  @Override
  public SendResult access(
      RemoteTarget target,
      boolean reads,
      boolean behind,
      long at,
      BulkRegion memory,
      long offset,
      int length,
      Runnable whenDone,
      Runnable whenFree) {
    PeerTarget to = mine(target);
    Region region = mine(memory);
    if (at < 0 || length < 1 || length > to.length() - at) {
      throw new IllegalArgumentException(
          "%d bytes at %d of the peer's %d".formatted(length, at, to.length()));
    }
    long here = region.memory.asSlice(offset, length).address();
    if (!link.isOpen() || to.revoked) {
      return SendResult.CLOSED;
    }
    if (!sends.hasRoomForAccess()) {
      link.writeTurnedBack();
      return SendResult.BACK_PRESSURED;
    }
    UnderWay access = new UnderWay(to, whenDone, whenFree);
    long there = to.advertisement.address() + at;
    try {
      sends.access(
          reads,
          behind,
          there,
          to.advertisement.rkey(),
          here,
          region.registration().lkey(),
          length,
          access);
    } catch (IOException e) {
      link.postingFailed(e);
      return SendResult.CLOSED;
    }
    to.accesses++;
    underWay.add(access);
    return SendResult.SENT;
  }

  private PeerTarget mine(RemoteTarget target) {
    if (target instanceof PeerTarget mine && mine.owner() == this) {
      return mine;
    }
    throw new IllegalArgumentException("a target of another link");
  }

  // ---- from the link ----

  /**
   * The link has ended. If its queue pair was not destroyed at first, this is called again once it
   * is.
   *
   * @param destroyed whether the queue pair certainly touches no memory any more
   */
  void end(boolean destroyed) {
    ended = true;
    fenced = destroyed;
    link.forgetDue();
    local.end(destroyed);
    if (destroyed) {
      List<UnderWay> left = List.copyOf(underWay);
      underWay.clear();
      left.forEach(access -> access.whenFree.run());
    }
    leaveIfUnused();
  }
}
