package io.verbena.rdma.link;

import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.Registration;
import io.verbena.rdma.wire.Advertisement;
import io.verbena.rdma.wire.Immediate;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.verbs.ext.MemoryWindow;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of this end's memory that are open to a link's peer: the receiving half of the bulk
 * port. It opens ranges, revokes them, and closes them. On the loop.
 */
final class LocalTargets {
  private static final ThrottledLog OWNER_FAILED =
      ThrottledLog.of(LocalTargets.class, "owners of targets that failed");

  /** A peer answers a revocation as soon as its loop runs; this tolerates a pause of its JVM. */
  private static final long REVOKE_NANOS = Duration.ofSeconds(30).toNanos();

  private final RdmaLink link;
  private final Domain domain;
  private final Quota.Share pins;
  private final SendSide sends;
  private final LinkContext context;
  private final Consumer<Runnable> later;
  private final Names names = new Names();
  private final Waiters waiters = new Waiters(names::free);

  /** In the order of their deadlines. */
  private final ArrayDeque<LocalTarget> revoking = new ArrayDeque<>();

  /**
   * Makes an instance without open ranges.
   *
   * @param pins this link's part of the memory that may be registered
   * @param later runs a task outside of the polling of completions
   */
  LocalTargets(
      RdmaLink link,
      Domain domain,
      Quota.Share pins,
      SendSide sends,
      LinkContext context,
      Consumer<Runnable> later) {
    this.link = link;
    this.domain = domain;
    this.pins = pins;
    this.sends = sends;
    this.context = context;
    this.later = later;
  }

  /**
   * A range that is open to the peer.
   *
   * <pre>
   *   OPEN ──close, all has arrived──→ SHUTTING ──its window is invalidated──→ FENCED
   *     └──close──→ REVOKING ──the peer confirms that nothing follows─────↑       ↑
   *                     └───────── the queue pair is drained and destroyed ───────┘
   *   any but FENCED ──the queue pair cannot be destroyed──→ LOST: the memory is kept for good
   * </pre>
   *
   * <p>The peer is asked before the range is closed, because a WRITE into a closed range would end
   * the link.
   */
  static final class LocalTarget implements BulkTarget {
    private enum State {
      OPEN,
      REVOKING,
      SHUTTING,
      FENCED,
      LOST
    }

    private final LocalTargets owner;

    /** Null if the link had ended before. */
    private final Domain.@Nullable PeerAccess access;

    private final MemorySegment memory;
    private final Advertisement advertisement;
    private final Listener listener;
    private State state;

    /** The bytes that were copied into the range, if the peer writes elsewhere. */
    private long copied;

    private boolean closed;
    private long arrived;
    private long deadline;

    /** The device has opened the range. */
    private boolean opened;

    private @Nullable Runnable whenOpen;
    private @Nullable Runnable whenFenced;
    private @Nullable Runnable whenLost;

    private LocalTarget(
        LocalTargets owner,
        Domain.@Nullable PeerAccess access,
        MemorySegment memory,
        Advertisement advertisement,
        Listener listener) {
      this.owner = owner;
      this.access = access;
      this.memory = memory;
      this.advertisement = advertisement;
      this.listener = listener;
      this.state = access == null ? State.FENCED : State.OPEN;
      this.opened = access == null || access.window() == null;
    }

    @Override
    public void whenOpen(Runnable then) {
      if (opened) {
        then.run();
      } else {
        whenOpen = then;
      }
    }

    private void opened() {
      opened = true;
      Runnable then = whenOpen;
      whenOpen = null;
      if (then != null) {
        then.run();
      }
    }

    @Override
    public byte[] advertisement() {
      return advertisement.encode();
    }

    @Override
    public void close(Runnable fenced) {
      close(fenced, () -> {});
    }

    @Override
    public void close(Runnable fenced, Runnable lost) {
      if (closed) {
        throw new IllegalStateException("the target is closed already");
      }
      closed = true;
      if (state == State.FENCED) {
        fenced.run();
        return;
      }
      whenFenced = fenced;
      whenLost = lost;
      owner.closing(this);
      if (state == State.LOST) {
        lost.run();
      }
    }

    /** Returns the name by which both ends know the target. */
    int name() {
      return advertisement.target();
    }

    long length() {
      return advertisement.length();
    }

    int unitShift() {
      return advertisement.unitShift();
    }

    long arrived() {
      return arrived;
    }

    /** Takes the peer's report that more has arrived; false if that is impossible. */
    boolean arrivedUpTo(long upTo) {
      if (upTo <= arrived || upTo > advertisement.length()) {
        return false;
      }
      arrived = upTo;
      return true;
    }

    /** Notifies the owner, unless it has closed the range. */
    void tell(long upTo) {
      if (!closed) {
        if (access != null && access.isCopied()) {
          copy(access, upTo);
        }
        listener.onArrived(upTo);
      }
    }

    private void copy(Domain.PeerAccess from, long upTo) {
      try {
        MemorySegment.copy(owner.domain.landing(from), copied, memory, copied, upTo - copied);
      } catch (IllegalStateException freed) {
        // As where the peer writes by itself, the owner finds out.
      }
      copied = upTo;
    }

    /** Nothing can arrive any more. */
    private void fenced() {
      state = State.FENCED;
      tellEnd(whenFenced);
    }

    /** The device may write into the range for ever. */
    private void lost() {
      state = State.LOST;
      tellEnd(whenLost);
    }

    private void tellEnd(@Nullable Runnable told) {
      whenFenced = null;
      whenLost = null;
      if (told != null) {
        told.run();
      }
    }
  }

  // ---- opening ----

  /**
   * Opens a range of memory.
   *
   * @param registration covers it; null registers the memory for this target alone
   * @param rights REMOTE_ flags of {@link io.verbena.verbs.ext.Access}
   * @param mayCopy whether the range may be copied from where the peer writes, as it reports
   */
  LocalTarget open(
      @Nullable Registration registration,
      MemorySegment memory,
      int rights,
      boolean mayCopy,
      BulkTarget.Listener listener)
      throws LinkException {
    long length = memory.byteSize();
    if (!link.isOpen()) {
      return new LocalTarget(this, null, memory, new Advertisement(0, 0, 0, length, 0), listener);
    }
    int name = names.claim();
    if (name < 0) {
      throw LinkException.shortOf(
          new Shortage(waiters, () -> 1),
          Names.MOST_OPEN + " targets are open on this link already; close some",
          null);
    }
    try {
      Domain.PeerAccess access = domain.grantAccess(registration, memory, pins, rights, mayCopy);
      return open(name, access, memory, listener);
    } catch (IOException e) {
      names.unclaim(name);
      throw shortOfMemory(e);
    }
  }

  static LinkException shortOfMemory(IOException why) {
    Shortage shortage = Domain.shortage(why);
    String words = String.valueOf(why.getMessage());
    return shortage == null
        ? new LinkException(words, why)
        : LinkException.shortOf(shortage, words, why);
  }

  private LocalTarget open(
      int name, Domain.PeerAccess access, MemorySegment memory, BulkTarget.Listener listener) {
    int unitShift = Integer.numberOfTrailingZeros(context.settings().bulkChunkBytes());
    Advertisement advertisement =
        new Advertisement(name, access.rkey(), access.address(), access.length(), unitShift);
    LocalTarget target = new LocalTarget(this, access, memory, advertisement, listener);
    names.put(target);
    context.counters().openBytes.add(target.length());
    MemoryWindow window = access.window();
    if (window != null) {
      try {
        sends.bind(access, window, target::opened);
      } catch (IOException e) {
        link.postingFailed(e);
      }
    }
    return target;
  }

  // ---- closing ----

  private void closing(LocalTarget target) {
    context.counters().quarantinedBytes.add(target.length());
    if (!link.isOpen()) {
      return; // the end of the link fences everything
    }
    if (target.arrived == target.length()) {
      shut(target);
      return;
    }
    target.state = LocalTarget.State.REVOKING;
    target.deadline = context.clock().nanoTime() + REVOKE_NANOS;
    revoking.add(target);
    link.watch();
    try {
      sends.note(SendHeader.REVOKE, target.name());
    } catch (IOException e) {
      link.postingFailed(e);
    }
  }

  /** Nothing follows, so the key is invalidated. */
  private void shut(LocalTarget target) {
    target.state = LocalTarget.State.SHUTTING;
    Domain.PeerAccess access = target.access;
    if (access == null || access.window() == null) {
      fenced(target, false);
      return;
    }
    try {
      sends.invalidate(access.rkey(), () -> fenced(target, false));
    } catch (IOException e) {
      link.postingFailed(e);
    }
  }

  private void fenced(LocalTarget target, boolean bound) {
    Domain.PeerAccess access = target.access;
    if (access != null && !domain.revokeAccess(access, bound) && !bound) {
      link.postingFailed(new IOException("memory that is open to the peer cannot be deregistered"));
      return; // it is fenced with the queue pair, the only one that can reach it
    }
    names.remove(target.name());
    waiters.freed();
    context.counters().openBytes.add(-target.length());
    if (target.closed) {
      context.counters().quarantinedBytes.add(-target.length());
    }
    target.fenced();
  }

  /** Returns the target that a peer names; null if there is none. */
  @Nullable LocalTarget find(int name) {
    return names.find(name);
  }

  /** The peer confirms that it uses a target no more; returns the broken rule, or null. */
  @Nullable String revoked(int name) {
    LocalTarget target = names.find(name);
    if (target == null || target.state != LocalTarget.State.REVOKING) {
      return "the peer confirmed the revocation of a target that was not revoked";
    }
    target.state = LocalTarget.State.SHUTTING;
    revoking.remove(target);
    later.accept(() -> shut(target));
    return null;
  }

  /** Returns whether the oldest revocation is past its deadline. */
  boolean isOverdue(long now) {
    LocalTarget oldest = revoking.peek();
    return oldest != null && now - oldest.deadline >= 0;
  }

  boolean isRevoking() {
    return !revoking.isEmpty();
  }

  /** The link has ended. Its queue pair is destroyed, or could not be. */
  void end(boolean destroyed) {
    revoking.clear();
    for (LocalTarget target : names.all()) {
      try {
        if (destroyed) {
          fenced(target, true);
        } else {
          target.lost();
        }
      } catch (RuntimeException e) {
        OWNER_FAILED.error("The owner of a target on the {} failed", link, e);
      }
    }
  }

  /** The open targets, by the slot and epoch that form their name. */
  static final class Names {
    /** The limit of open targets, more than transfers share a link. */
    static final int MOST_OPEN = Immediate.MOST_SLOTS;

    private final List<@Nullable LocalTarget> slots = new ArrayList<>();
    private final List<Integer> epochs = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();

    /** Returns a name for the next target; -1 if there are too many. */
    int claim() {
      if (free.isEmpty()) {
        if (slots.size() == MOST_OPEN) {
          return -1;
        }
        free.add(slots.size());
        slots.add(null);
        epochs.add(0);
      }
      int slot = free.removeLast();
      epochs.set(slot, epochs.get(slot) + 1);
      return Immediate.target(slot, epochs.get(slot));
    }

    /** Returns the number of free names. */
    private long free() {
      return (long) MOST_OPEN - slots.size() + free.size();
    }

    /**
     * Takes an unused name back, so that it is the slot's next one again. Otherwise, while pinned
     * memory is scarce, half a turn of epochs might pass without the peer's notice, and the next
     * name would look like an old one.
     */
    void unclaim(int name) {
      int slot = Immediate.slot(name);
      epochs.set(slot, epochs.get(slot) - 1);
      free.add(slot);
    }

    private void put(LocalTarget target) {
      slots.set(Immediate.slot(target.name()), target);
    }

    /** Returns the target of a name; null if the name is foreign or stale. */
    private @Nullable LocalTarget find(int target) {
      int slot = Immediate.slot(target);
      LocalTarget found = slot < slots.size() ? slots.get(slot) : null;
      return found != null && found.name() == target ? found : null;
    }

    /** Removes a target that was advertised. */
    void remove(int name) {
      int slot = Immediate.slot(name);
      slots.set(slot, null);
      free.add(slot);
    }

    private List<LocalTarget> all() {
      List<LocalTarget> open = new ArrayList<>();
      for (LocalTarget target : slots) {
        if (target != null) {
          open.add(target);
        }
      }
      return open;
    }
  }
}
