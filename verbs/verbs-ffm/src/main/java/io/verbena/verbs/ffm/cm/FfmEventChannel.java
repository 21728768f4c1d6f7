package io.verbena.verbs.ffm.cm;

import static io.verbena.verbs.ffm.abi.CmLayouts.EVENT_CHANNEL;
import static java.lang.foreign.ValueLayout.ADDRESS;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.device.Devices;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.lib.Rdmacm;
import io.verbena.verbs.ffm.life.Deadline;
import io.verbena.verbs.ffm.life.EventFile;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.life.Lifetime.Use;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A channel of connection events, with its connection ids. */
public final class FfmEventChannel extends RdmaEventChannel {
  private static final String GET = "rdma_get_cm_event";

  private final Lifetime life = new Lifetime("the event channel", "connection ids");
  private final Devices devices;
  private final MemorySegment pointer;
  private final EventFile file;
  private final Map<Long, FfmCmId> ids = new ConcurrentHashMap<>();

  /**
   * Excludes two things: taking an event, during which librdmacm works on the id and its QP, and
   * making or destroying an id or a QP. No call blocks while it holds the lock.
   */
  private final ReentrantLock lock = new ReentrantLock();

  private FfmEventChannel(Devices devices, MemorySegment pointer, EventFile file)
      throws IOException {
    super(file.fd());
    this.devices = devices;
    this.pointer = pointer;
    this.file = file;
  }

  /** Makes a channel. Fails with ENODEV if the kernel has no RDMA. */
  public static FfmEventChannel create(Devices devices) throws IOException {
    MemorySegment channel = Rdmacm.CREATE_EVENT_CHANNEL.pointer();
    int fd = Pointers.u32(Pointers.struct(channel, EVENT_CHANNEL), EVENT_CHANNEL, "fd");
    try {
      return new FfmEventChannel(devices, channel, new EventFile(fd));
    } catch (IOException noDescriptor) {
      Rdmacm.DESTROY_EVENT_CHANNEL.run(channel);
      throw noDescriptor;
    }
  }

  Devices devices() {
    return devices;
  }

  /** Returns the channel's lifetime. Connection ids depend on it. */
  public Lifetime life() {
    return life;
  }

  /** Returns the file that becomes readable when an event arrives. */
  public EventFile file() {
    return file;
  }

  /** Runs an action while no event is taken. */
  void exclusively(Lifetime.Step action) throws IOException {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public RdmaCmId createId(short portSpace) throws IOException {
    if (portSpace == RdmaCm.RDMA_PS_UDP) {
      throw new VerbsException(
          "rdma_create_id",
          Errno.EOPNOTSUPP,
          "datagrams (RDMA_PS_UDP) cannot be sent by DiSNI's requests. Use RDMA_PS_TCP.");
    }
    return FfmCmId.create(this, pointer, portSpace);
  }

  void add(FfmCmId id) {
    ids.put(id.pointer().address(), id);
  }

  void remove(FfmCmId id) {
    ids.remove(id.pointer().address());
  }

  @Nullable FfmCmId id(MemorySegment id) {
    return ids.get(id.address());
  }

  /** Returns the next event, or null if none came in time. A negative limit waits for ever. */
  @Override
  public @Nullable RdmaCmEvent getCmEvent(int timeoutMillis) throws IOException {
    Deadline deadline = Deadline.ofMillis(timeoutMillis);
    try (Use _ = life.use(GET);
        Arena arena = Arena.ofConfined()) {
      MemorySegment event = arena.allocate(ADDRESS);
      RdmaCmEvent taken = file.next(deadline, () -> tryTake(event));
      if (taken == null) {
        // Throws if the channel was closed; otherwise the time has passed.
        life.use(GET).close();
      }
      return taken;
    }
  }

  private @Nullable RdmaCmEvent tryTake(MemorySegment event) throws IOException {
    lock.lock();
    try {
      if (!Rdmacm.GET_CM_EVENT.ready(pointer, event)) {
        return null;
      }
      MemorySegment taken = event.get(ADDRESS, 0);
      try {
        return FfmCmEvent.copy(this, taken);
      } finally {
        Rdmacm.ACK_CM_EVENT.zero(taken);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isOpen() {
    return life.isOpen();
  }

  /** Destroys the channel and ends the waits on it. Fails with EBUSY while the channel has ids. */
  @Override
  public int destroyEventChannel() throws IOException {
    life.close("rdma_destroy_event_channel", file::wake, this::free);
    isOpen = false;
    return 0;
  }

  private void free() throws IOException {
    Rdmacm.DESTROY_EVENT_CHANNEL.run(pointer);
    file.close();
  }

  /** Destroys the channel, if it is open. */
  @Override
  public void close() {
    Closing.unless(!life.isOpen(), this::destroyEventChannel);
  }
}
