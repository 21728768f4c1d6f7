package io.verbena.verbs.ffm.cq;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.COMP_CHANNEL;
import static java.lang.foreign.ValueLayout.ADDRESS;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.VerbsCompChannel;
import io.verbena.verbs.ffm.device.FfmContext;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Deadline;
import io.verbena.verbs.ffm.life.EventFile;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.life.Lifetime.Use;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A completion channel, which wakes threads that wait for completion queues.
 *
 * <p>The channel may be destroyed before its queues, as DiSNI's RdmaCqProvider does. It is then
 * closed, and freed together with the last queue.
 */
public final class FfmCompChannel extends IbvCompChannel implements VerbsCompChannel {
  private static final String GET = "ibv_get_cq_event";

  private final Lifetime life = new Lifetime("the completion channel", "completion queues");
  private final FfmContext device;
  private final MemorySegment pointer;
  private final EventFile file;

  /** Excludes two things: taking and counting an event, and destroying a queue of the channel. */
  private final ReentrantLock events = new ReentrantLock();

  private FfmCompChannel(FfmContext device, MemorySegment channel, EventFile file)
      throws IOException {
    super(file.fd(), device);
    this.device = device;
    this.pointer = channel;
    this.file = file;
  }

  /** Makes a channel of a device. */
  public static FfmCompChannel create(FfmContext device) throws IOException {
    return device.life().make("ibv_create_comp_channel", () -> open(device));
  }

  private static FfmCompChannel open(FfmContext device) throws IOException {
    MemorySegment channel = Ibverbs.CREATE_COMP_CHANNEL.pointer(device.pointer());
    int fd = Pointers.u32(Pointers.struct(channel, COMP_CHANNEL), COMP_CHANNEL, "fd");
    try {
      return new FfmCompChannel(device, channel, new EventFile(fd));
    } catch (IOException noDescriptor) {
      Ibverbs.DESTROY_COMP_CHANNEL.zero(channel);
      throw noDescriptor;
    }
  }

  MemorySegment pointer() {
    return pointer;
  }

  /** Returns the channel's lifetime. Completion queues depend on it. */
  public Lifetime life() {
    return life;
  }

  /** Returns the file that becomes readable when an event arrives. */
  public EventFile file() {
    return file;
  }

  /** Destroys a queue while no thread takes an event of it. */
  void withoutEvents(Lifetime.Step destruction) throws IOException {
    events.lock();
    try {
      destruction.run();
    } finally {
      events.unlock();
    }
  }

  /** The caller acknowledges with {@link IbvCQ#ackEvents}. A negative limit waits for ever. */
  @Override
  public boolean getCqEvent(IbvCQ cq, int timeoutMillis) throws IOException {
    return take(Deadline.ofMillis(timeoutMillis), false) != null;
  }

  @Override
  public @Nullable IbvCQ nextEvent(long timeoutNanos) throws IOException {
    return take(Deadline.ofNanos(timeoutNanos), true);
  }

  private @Nullable FfmCq take(Deadline deadline, boolean acknowledge) throws IOException {
    try (Use _ = life.use(GET);
        Arena arena = Arena.ofConfined()) {
      MemorySegment cq = arena.allocate(ADDRESS);
      MemorySegment cookie = arena.allocate(ADDRESS);
      FfmCq queue = file.next(deadline, () -> tryTake(cq, cookie, acknowledge));
      if (queue == null) {
        // Throws if the channel was closed; otherwise the time has passed.
        life.use(GET).close();
      }
      return queue;
    }
  }

  private @Nullable FfmCq tryTake(MemorySegment cq, MemorySegment cookie, boolean acknowledge)
      throws IOException {
    events.lock();
    try {
      if (!Ibverbs.GET_CQ_EVENT.ready(pointer, cq, cookie)) {
        return null;
      }
      FfmCq queue = device.live().find(cq.get(ADDRESS, 0).address(), FfmCq.class);
      if (queue != null) {
        queue.eventTaken(acknowledge);
      }
      return queue;
    } finally {
      events.unlock();
    }
  }

  @Override
  public boolean isOpen() {
    return life.isOpen();
  }

  @Override
  public int destroyCompChannel() throws IOException {
    life.retire("ibv_destroy_comp_channel", file::wake, this::free);
    isOpen = false;
    return 0;
  }

  private void free() throws IOException {
    Ibverbs.DESTROY_COMP_CHANNEL.zero(pointer);
    file.close();
    device.life().removeDependent();
  }

  /** Destroys the channel, if it is open. */
  @Override
  public void close() {
    Closing.unless(!life.isOpen(), this::destroyCompChannel);
  }
}
