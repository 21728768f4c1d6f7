package io.verbena.verbs.ffm.cq;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.CQ;

import com.ibm.disni.verbs.IbvCQ;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.device.FfmContext;
import io.verbena.verbs.ffm.lib.Cures;
import io.verbena.verbs.ffm.lib.DataPath;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Foundations;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.life.Lifetime.Use;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A completion queue. */
public final class FfmCq extends IbvCQ implements VerbsCq {
  private final Lifetime life = new Lifetime("the completion queue", "queue pairs");
  private final FfmContext device;
  private final @Nullable FfmCompChannel events;
  private final Foundations foundations;
  private final MemorySegment pointer;
  private final MemorySegment pollVerb;
  private final long address;
  private final boolean polledBriefly;

  /** Events that DiSNI's wait has taken and the application has not acknowledged yet. */
  private final AtomicInteger unacknowledged = new AtomicInteger();

  private FfmCq(
      FfmContext device, @Nullable FfmCompChannel events, Foundations foundations, MemorySegment cq)
      throws IOException {
    super(device, events, Pointers.u32(cq, CQ, "handle"));
    this.device = device;
    this.events = events;
    this.foundations = foundations;
    this.pointer = cq;
    address = cq.address();
    polledBriefly = !device.pollsBySystemCall();
    pollVerb = device.verbs().pollCq();
    cqe = Pointers.u32(cq, CQ, "cqe");
  }

  /** Makes a queue. A queue without a channel can only be polled. */
  public static FfmCq create(
      FfmContext device, @Nullable FfmCompChannel channel, int entries, int vector)
      throws IOException {
    Foundations foundations =
        Foundations.of(
            "ibv_create_cq",
            channel == null ? List.of(device.life()) : List.of(device.life(), channel.life()));
    try {
      MemorySegment cq =
          Ibverbs.CREATE_CQ.pointer(
              device.pointer(),
              entries,
              MemorySegment.NULL,
              channel == null ? MemorySegment.NULL : channel.pointer(),
              vector);
      FfmCq queue = new FfmCq(device, channel, foundations, Pointers.struct(cq, CQ));
      device.live().add(cq.address(), queue);
      return queue;
    } catch (IOException | RuntimeException failed) {
      foundations.release();
      throw failed;
    }
  }

  /** Returns the queue's lifetime. Queue pairs depend on it. */
  public Lifetime life() {
    return life;
  }

  /** Returns the {@code ibv_cq}. It is valid while {@link #life} has a use or a dependent. */
  public MemorySegment pointer() {
    return pointer;
  }

  @Override
  public int poll(CompletionBlock block) throws IOException {
    // Reading from the block fails if its arena is closed. An address alone would not fail.
    block.wrId(0);
    int count;
    try (Use _ = life.use("ibv_poll_cq")) {
      count = DataPath.pollCq(pollVerb, address, block.capacity(), block.address(), polledBriefly);
    } finally {
      Reference.reachabilityFence(block);
    }
    if (count < 0) {
      block.filled(0);
      throw broken(count);
    }
    return block.filled(count);
  }

  /**
   * Returns the failure of a poll. Its negative count is an error number on irdma alone: mlx5 and
   * mlx4 return -2, cxgb4 and vmw_pvrdma -1 (rdma-core 691953d8d, their cq.c).
   */
  static VerbsException broken(int count) {
    return new VerbsException(
        "ibv_poll_cq",
        Errno.EIO,
        "It returned "
            + count
            + ": the completion queue or its device is broken. Close the device's objects and open"
            + " it again.");
  }

  @Override
  public void arm(boolean solicitedOnly) throws IOException {
    int errno;
    try (Use _ = life.use("ibv_req_notify_cq")) {
      errno = DataPath.requestNotify(device.verbs().requestNotify(), address, solicitedOnly);
    }
    if (errno != 0) {
      throw Cures.failure("ibv_req_notify_cq", Math.abs(errno));
    }
  }

  /** Counts an event. The caller holds the channel's lock, so the queue is not being destroyed. */
  void eventTaken(boolean acknowledge) throws IOException {
    if (acknowledge) {
      Ibverbs.ACK_CQ_EVENTS.run(pointer, 1);
    } else {
      unacknowledged.incrementAndGet();
    }
  }

  /** Acknowledges at most the taken events. Acknowledging more would block destruction for ever. */
  @Override
  public int ackEvents(int count) throws IOException {
    try (Use _ = life.use("ibv_ack_cq_events")) {
      int taken = unacknowledged.getAndUpdate(open -> Math.max(0, open - count));
      Ibverbs.ACK_CQ_EVENTS.run(pointer, Math.min(taken, count));
    }
    return 0;
  }

  @Override
  public boolean isOpen() {
    return life.isOpen();
  }

  @Override
  public int destroyCQ() throws IOException {
    life.close("ibv_destroy_cq", this::freeWithoutEvents);
    isOpen = false;
    foundations.release();
    return 0;
  }

  private void freeWithoutEvents() throws IOException {
    if (events == null) {
      free();
    } else {
      events.withoutEvents(this::free);
    }
  }

  private void free() throws IOException {
    Ibverbs.ACK_CQ_EVENTS.run(pointer, unacknowledged.getAndSet(0));
    device.free(address, () -> Ibverbs.DESTROY_CQ.zero(pointer));
  }

  /** Destroys the queue, if it is open. */
  @Override
  public void close() {
    Closing.unless(!life.isOpen(), this::destroyCQ);
  }
}
