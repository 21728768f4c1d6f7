package io.verbena.rdma.link;

import io.verbena.core.NanoClock;
import io.verbena.core.link.BulkTarget;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkException.Shortage;
import io.verbena.core.memory.Quota;
import io.verbena.core.memory.Waiters;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.Exposure;
import io.verbena.rdma.device.Registration;
import io.verbena.rdma.wire.Advertisement;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.verbs.ext.MemoryWindow;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of this end's memory that are open to a link's peer: the receiving half of the bulk
 * port. Opens them, has the peer leave them alone, and shuts them. On the loop.
 */
final class OwnTargets {
  /** A peer answers a revocation when its loop runs; a pause of its JVM is tolerated. */
  private static final long REVOKE_NANOS = Duration.ofSeconds(30).toNanos();

  private final LinkLife life;
  private final LinkFaults faults;
  private final Domain domain;
  private final Quota.Share pins;
  private final SendSide sends;
  private final BulkSends writes;
  private final RdmaSettings settings;
  private final NanoClock clock;
  private final RdmaCounters counters;
  private final Consumer<Runnable> later;
  private final TargetTable targets = new TargetTable();
  private final Waiters names = new Waiters(targets::free);

  /** In the order of their deadlines. */
  private final ArrayDeque<OwnTarget> revoking = new ArrayDeque<>();

  /**
   * None yet.
   *
   * @param pins this link's part of what may be registered
   * @param later runs something outside of the polling of completions
   */
  OwnTargets(
      LinkLife life,
      LinkFaults faults,
      Domain domain,
      Quota.Share pins,
      SendSide sends,
      BulkSends writes,
      LinkContext context,
      Consumer<Runnable> later) {
    this.life = life;
    this.faults = faults;
    this.domain = domain;
    this.pins = pins;
    this.sends = sends;
    this.writes = writes;
    this.settings = context.settings();
    this.clock = context.clock();
    this.counters = context.counters();
    this.later = later;
  }

  /** Opens a range of memory that is registered. */
  OwnTarget open(Registration registration, MemorySegment memory, BulkTarget.Listener listener)
      throws LinkException {
    long length = memory.byteSize();
    if (!life.isOpen()) {
      return new OwnTarget(this, null, new Advertisement(0, 0, 0, length, 0), listener);
    }
    int name = targets.claim();
    if (name < 0) {
      throw LinkException.shortOf(
          new Shortage(names, () -> 1),
          TargetTable.MOST_OPEN + " targets are open on this link already; close some",
          null);
    }
    try {
      return open(name, domain.expose(registration, memory, pins), listener);
    } catch (IOException e) {
      targets.unclaim(name);
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

  private OwnTarget open(int name, Exposure exposure, BulkTarget.Listener listener) {
    int unitShift = Integer.numberOfTrailingZeros(settings.bulkChunkBytes());
    Advertisement advertisement =
        new Advertisement(name, exposure.rkey(), exposure.address(), exposure.length(), unitShift);
    OwnTarget target = new OwnTarget(this, exposure, advertisement, listener);
    targets.put(target);
    counters.openBytes(target.length());
    MemoryWindow window = exposure.window();
    if (window != null) {
      faults.posts(() -> writes.bind(exposure, window));
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
    faults.posts(() -> sends.order(SendHeader.REVOKE, target.target()));
  }

  /** Nothing comes any more: takes the key away. */
  private void shut(OwnTarget target) {
    target.shutting();
    Exposure exposure = target.exposure();
    if (exposure != null && exposure.window() != null) {
      faults.posts(() -> writes.invalidate(exposure.rkey(), () -> fenced(target, false)));
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
    later.accept(() -> shut(target));
    return null;
  }

  /** Returns whether the peer has not answered in time; else whether it still has time. */
  boolean isOverdue(long now) {
    OwnTarget first = revoking.peek();
    return first != null && now - first.deadline() >= 0;
  }

  boolean isRevoking() {
    return !revoking.isEmpty();
  }

  /** The link is gone, and its queue pair destroyed, or not. */
  void end(boolean destroyed) {
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
  }
}
