package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.CONTEXT;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Gid;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ffm.cq.FfmCompChannel;
import io.verbena.verbs.ffm.cq.FfmCq;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Deadline;
import io.verbena.verbs.ffm.life.EventFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An open device. It lives as long as the process. */
public final class FfmContext extends IbvContext implements VerbsContext {
  private final VerbsProvider provider;
  private final MemorySegment pointer;
  private final String name;
  private final DataVerbs verbs;
  private final LiveObjects live = new LiveObjects();
  private final EventFile asyncFile;
  private final AsyncEvents asyncEvents;

  private FfmContext(VerbsProvider provider, MemorySegment context, String name)
      throws IOException {
    super(
        Pointers.u32(context, CONTEXT, "cmd_fd"),
        Pointers.u32(context, CONTEXT, "num_comp_vectors"));
    this.provider = provider;
    this.pointer = context;
    this.name = name;
    verbs = DataVerbs.of(context);
    asyncFile = new EventFile(Pointers.u32(context, CONTEXT, "async_fd"));
    asyncEvents = new AsyncEvents(context, asyncFile, live);
  }

  static FfmContext open(VerbsProvider provider, MemorySegment pointer) throws IOException {
    MemorySegment context = Pointers.struct(pointer, CONTEXT);
    AbiCheck.context(context);
    MemorySegment device = Pointers.pointer(context, CONTEXT, "device");
    String name = Pointers.string(Ibverbs.getDeviceName(device));
    return new FfmContext(provider, context, name);
  }

  /** The {@code ibv_context}. */
  public MemorySegment pointer() {
    return pointer;
  }

  /** The function pointers of the data path. */
  public DataVerbs verbs() {
    return verbs;
  }

  /** What events and requests may point to. */
  public LiveObjects live() {
    return live;
  }

  /** Where asynchronous events announce themselves. */
  public EventFile asyncFile() {
    return asyncFile;
  }

  @Override
  public IbvPd allocPd() throws IOException {
    return new FfmPd(this, Ibverbs.allocPd(pointer));
  }

  @Override
  public IbvCompChannel createCompChannel() throws IOException {
    return FfmCompChannel.create(this);
  }

  @Override
  public IbvCQ createCQ(@Nullable IbvCompChannel channel, int entries, int vector)
      throws IOException {
    return FfmCq.create(this, (FfmCompChannel) channel, entries, vector);
  }

  /** On-demand paging is not offered: no {@code IBV_ODP_SUPPORT_} flag. */
  @Override
  public int queryOdpSupport() {
    return 0;
  }

  @Override
  public VerbsProvider provider() {
    return provider;
  }

  @Override
  public String deviceName() {
    return name;
  }

  @Override
  public DeviceAttributes queryDevice() throws IOException {
    return DeviceQueries.device(pointer, name);
  }

  @Override
  public PortAttributes queryPort(int port) throws IOException {
    return DeviceQueries.port(pointer, port);
  }

  @Override
  public Gid queryGid(int port, int index) throws IOException {
    return DeviceQueries.gid(pointer, port, index);
  }

  @Override
  public @Nullable AsyncEvent nextAsyncEvent(long timeoutNanos) throws IOException {
    return asyncEvents.next(Deadline.ofNanos(timeoutNanos));
  }

  @Override
  public String toString() {
    return name;
  }
}
