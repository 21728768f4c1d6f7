package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvCQ;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.Layouts;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A completion queue. Completions enter at once, and become visible in batches a little later. */
final class FabricCq extends IbvCQ implements VerbsCq {
  private enum Armed {
    NO,
    SOLICITED,
    ANY
  }

  private static final long SLOW_FLUSH_NANOS = 100_000_000;

  private final FabricContext device;
  private final @Nullable FabricCompChannel events;
  private final @Nullable Completion[] ring;
  private final Timer reveal = new Timer(this::revealSome);
  private long polled;
  private long visible;
  private long entered;
  private Armed armed = Armed.NO;
  private int users;

  FabricCq(FabricContext device, @Nullable FabricCompChannel events, int entries, int number)
      throws IOException {
    super(device, events, number);
    this.device = device;
    this.events = events;
    int depth = device.fabric.depth(entries);
    cqe = depth;
    ring = new Completion[depth];
    if (events != null) {
      events.addUser();
    }
    device.host.objects++;
  }

  @Override
  public int poll(CompletionBlock block) throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_poll_cq");
      device.checkSound("ibv_poll_cq");
      device.host.tally.polls++;
      revealFlushed();
      int count = 0;
      while (count < block.capacity() && polled < visible) {
        Completion completion = at(polled++);
        FabricQp qp = completion.qp;
        if (qp != null) {
          completion.store(block.address() + (long) count++ * Layouts.WC_SIZE, qp.getQp_num());
          qp.polled(completion.sendIndex);
          completion.qp = null;
        }
      }
      return block.filled(count);
    }
  }

  @Override
  public void arm(boolean solicitedOnly) throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_req_notify_cq");
      device.checkSound("ibv_req_notify_cq");
      device.host.tally.arms++;
      // A request for fewer events does not replace an earlier one for all.
      if (armed != Armed.ANY) {
        armed = solicitedOnly ? Armed.SOLICITED : Armed.ANY;
      }
    }
  }

  @Override
  public int ackEvents(int count) throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_ack_cq_events");
      return 0;
    }
  }

  @Override
  public int destroyCQ() throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_destroy_cq");
      device.host.checkDestroys("ibv_destroy_cq");
      if (users > 0) {
        throw VerbsException.inUse("ibv_destroy_cq", "a completion queue", users + " queue pairs");
      }
      isOpen = false;
      device.host.objects--;
      device.fabric.cancel(reveal);
      if (events != null) {
        events.removeUser(this);
      }
      return 0;
    }
  }

  @Override
  public void close() {
    Closing.unless(!isOpen, this::destroyCQ);
  }

  // The methods below are called under the fabric's lock.

  void use(String call) throws VerbsException {
    device.host.use(call, isOpen, "The completion queue");
  }

  /** Returns a slot, made on first use because deep queues are mostly empty. */
  private Completion at(long index) {
    int at = (int) (index % ring.length);
    Completion slot = ring[at];
    if (slot == null) {
      ring[at] = slot = new Completion();
    }
    return slot;
  }

  void addUser() {
    users++;
  }

  /** Removes a destroyed queue pair, and its completions if the fabric's temper says so. */
  void removeUser(FabricQp qp) {
    users--;
    if (device.fabric.temper.purgesOnDestroy()) {
      for (long i = polled; i < entered; i++) {
        Completion completion = at(i);
        if (completion.qp == qp) {
          completion.qp = null;
        }
      }
    }
  }

  /**
   * Returns the next slot for a completion of {@code qp}. The caller fills the slot and calls
   * {@link #enter}. Returns null if the queue overflows, which is an error and loses the
   * completion.
   */
  @Nullable Completion next(FabricQp qp) {
    if (entered - polled == ring.length) {
      device.raise(new AsyncEvent(AsyncEvent.Type.CQ_ERR, null, this, null, 0));
      return null;
    }
    Completion completion = at(entered);
    completion.qp = qp;
    return completion;
  }

  /** Enters the slot that {@link #next} returned. */
  void enter() {
    entered++;
    Fabric fabric = device.fabric;
    if (fabric.temper.synchronous() && !flushesSlowly()) {
      revealAll();
    } else if (!reveal.pending) {
      fabric.at(fabric.nanoTime() + untilNext(), reveal);
    }
  }

  /** Returns whether the next completion is one that takes its time. */
  private boolean flushesSlowly() {
    return device.host.profile.has(DeviceBehaviour.FLUSHES_SLOWLY)
        && visible < entered
        && isFlushed(at(visible));
  }

  private long untilNext() {
    return flushesSlowly() ? SLOW_FLUSH_NANOS : device.fabric.latency();
  }

  void revealAll() {
    while (visible < entered) {
      revealOne();
    }
  }

  /** A library that makes flush completions does so when it is polled. */
  private void revealFlushed() {
    if (device.host.profile.has(DeviceBehaviour.FLUSHES_ON_POLL)) {
      while (visible < entered && isFlushed(at(visible))) {
        revealOne();
      }
    }
  }

  private boolean isFlushed(Completion completion) {
    return completion.status == WcStatus.WR_FLUSH_ERR;
  }

  private void revealSome() {
    Fabric fabric = device.fabric;
    int most = flushesSlowly() ? 1 : fabric.batch();
    for (int i = most; i > 0 && visible < entered; i--) {
      revealOne();
      if (flushesSlowly()) {
        break;
      }
    }
    if (visible < entered) {
      fabric.at(fabric.nanoTime() + untilNext(), reveal);
    }
  }

  private void revealOne() {
    Completion completion = at(visible++);
    boolean notable = completion.solicited || completion.status != 0;
    if (isFlushed(completion) && device.host.profile.has(DeviceBehaviour.FLUSHES_ON_POLL)) {
      return; // nothing announces it
    }
    if (armed == Armed.ANY || (armed == Armed.SOLICITED && notable)) {
      armed = Armed.NO;
      if (events != null) {
        events.raise(this);
      }
    }
  }
}
