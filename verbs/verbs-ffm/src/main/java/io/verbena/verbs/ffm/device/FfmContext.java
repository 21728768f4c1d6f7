package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.CONTEXT;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.DEVICE;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.GidEntry;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ffm.cq.FfmCompChannel;
import io.verbena.verbs.ffm.cq.FfmCq;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Libc;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Deadline;
import io.verbena.verbs.ffm.life.EventFile;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.life.Lifetime.Use;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open device. It lives as long as the process, or until the device is removed and has no
 * dependents any more.
 */
public final class FfmContext extends IbvContext implements VerbsContext {
  private static final int SIW_VENDOR = 0x626d74;

  /**
   * Drivers whose library makes a system call to poll an error: it modifies the queue pair
   * (rdma-core 691953d8d, providers/hns/hns_roce_u_hw_v2.c, providers/mana/qp.c).
   */
  private static final Set<String> POLL_BY_SYSTEM_CALL = Set.of("hns3", "mana");

  private static final int SIW_CQ_ENTRY_BYTES = 32;

  /** libsiw refuses a mapped queue at this offset. */
  private static final int SIW_REFUSED_PLACE = 0x90000;

  private final VerbsProvider provider;
  private final MemorySegment pointer;
  private final String name;

  /** The device's folder under /sys, which disappears first when the device is removed. */
  private final Path folder;

  /** Identifies the folder among devices of the same name; null if the folder was gone. */
  private final @Nullable Object folderKey;

  private final String driver;
  private final DataVerbs verbs;
  private final Lifetime life =
      new Lifetime("the device", "protection domains, completion channels or completion queues");
  private final LiveObjects live = new LiveObjects();
  private final EventFile asyncFile;
  private final AsyncEvents asyncEvents;

  /** Guarded by the registry's lock. */
  private boolean prepared;

  /** The unused queue on siw; a null pointer on other devices. Guarded by this object's lock. */
  private MemorySegment filler = MemorySegment.NULL;

  /** The removed device has no dependents, but its files could not be closed. */
  private boolean stillOpen;

  private FfmContext(VerbsProvider provider, MemorySegment context, MemorySegment device)
      throws IOException {
    super(
        Pointers.u32(context, CONTEXT, "cmd_fd"),
        Pointers.u32(context, CONTEXT, "num_comp_vectors"));
    this.provider = provider;
    this.pointer = context;
    this.name = Pointers.string(Ibverbs.GET_DEVICE_NAME.pointer(device));
    this.folder = Path.of(Pointers.struct(device, DEVICE).getString(DEVICE.offset("dev_path")));
    this.folderKey = keyNow();
    this.driver = driverOf(Path.of("/sys/class/infiniband", name));
    verbs = DataVerbs.of(context);
    asyncFile = new EventFile(Pointers.u32(context, CONTEXT, "async_fd"));
    asyncEvents = new AsyncEvents(context, asyncFile, live);
  }

  /**
   * Returns the name of the driver of the device's bus, which on some adapters is that of the
   * network interface: {@code ice} for irdma, {@code bnxt_en} for bnxt_re.
   */
  static String driverOf(Path device) {
    try {
      return String.valueOf(device.resolve("device/driver").toRealPath().getFileName());
    } catch (IOException softwareDevice) {
      return "";
    }
  }

  static FfmContext of(VerbsProvider provider, MemorySegment pointer) throws IOException {
    MemorySegment context = Pointers.struct(pointer, CONTEXT);
    AbiCheck.context(context);
    return new FfmContext(provider, context, Pointers.pointer(context, CONTEXT, "device"));
  }

  /** Prepares the device for use. The caller holds the registry's lock. */
  void prepare() throws IOException {
    if (!prepared && life.isOpen()) {
      if (queryDevice().vendor() == SIW_VENDOR) {
        passRefusedPlace();
      }
      prepared = true;
    }
  }

  /**
   * Makes an unused queue on siw. The kernel gives each mapped queue of siw the next free offset.
   * libsiw takes the offset {@value #SIW_REFUSED_PLACE} for a failure, and would refuse every queue
   * from there on. The unused queue covers that offset. It is unmapped when the device is closed,
   * because mapped memory keeps a file open.
   */
  private synchronized void passRefusedPlace() throws IOException {
    int entries = SIW_REFUSED_PLACE / SIW_CQ_ENTRY_BYTES + 1;
    filler = Ibverbs.CREATE_CQ.pointer(pointer, entries, MemorySegment.NULL, MemorySegment.NULL, 0);
  }

  /** Returns the {@code ibv_context}. */
  public MemorySegment pointer() {
    return pointer;
  }

  /** Returns the function pointers of the data path. */
  public DataVerbs verbs() {
    return verbs;
  }

  /** Returns the device's lifetime. All objects of the device depend on it. */
  public Lifetime life() {
    return life;
  }

  /**
   * Records that the device is being removed. No new object is made on it. Its files are closed as
   * soon as it has no dependents, because the kernel may delay the removal until then. Every id on
   * the device reports the removal, on the thread of its channel; the first report counts.
   */
  public synchronized void removed() throws IOException {
    if (life.isOpen()) {
      isOpen = false;
      life.retire("the removal of the device", asyncFile::wake, this::letGo);
    } else if (stillOpen) {
      letGo();
    }
  }

  private synchronized void letGo() throws IOException {
    stillOpen = true;
    if (filler.address() != 0) {
      MemorySegment unused = filler;
      filler = MemorySegment.NULL;
      free(() -> Ibverbs.DESTROY_CQ.zero(unused));
    }
    letGoOfFiles(pointer);
    stillOpen = false;
  }

  /** Closes a removed device that this registry does not know, while an id holds its context. */
  static void letGo(MemorySegment pointer) throws IOException {
    MemorySegment context = Pointers.struct(pointer, CONTEXT);
    AbiCheck.context(context);
    letGoOfFiles(context);
  }

  /** Closes the files, but not the descriptors, because librdmacm may close those later. */
  private static void letGoOfFiles(MemorySegment context) throws IOException {
    Libc.letGo(Pointers.u32(context, CONTEXT, "cmd_fd"));
    Libc.letGo(Pointers.u32(context, CONTEXT, "async_fd"));
  }

  /** Returns whether the device has been removed, even without an event. */
  public boolean isGone() {
    return !life.isOpen() || isFolderGone();
  }

  /** Returns false if /sys is not visible. */
  private boolean isFolderGone() {
    Object now = keyNow();
    return now == null ? Files.exists(folder.getParent()) : !now.equals(folderKey);
  }

  private @Nullable Object keyNow() {
    try {
      return Files.readAttributes(folder, BasicFileAttributes.class).fileKey();
    } catch (IOException gone) {
      return null;
    }
  }

  /** {@linkplain #free(Lifetime.Step) Frees} the object that {@link #live} has for an address. */
  public void free(long address, Lifetime.Step free) throws IOException {
    live.forget(address, () -> free(free));
  }

  /**
   * Frees an object of the device. If the device is gone, the kernel may have destroyed all
   * objects. It then fails with EIO.
   */
  public void free(Lifetime.Step object) throws IOException {
    try {
      object.run();
    } catch (VerbsException kept) {
      if (!isGone()) {
        throw kept;
      }
    }
  }

  /** Returns the objects that events and requests may point to. */
  public LiveObjects live() {
    return live;
  }

  /** Returns the file that becomes readable when an asynchronous event arrives. */
  public EventFile asyncFile() {
    return asyncFile;
  }

  @Override
  public IbvPd allocPd() throws IOException {
    return FfmPd.allocate(this);
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

  /** Returns no {@code IBV_ODP_SUPPORT_} flag, because on-demand paging is not offered. */
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
  public String driver() {
    if (!driver.isEmpty()) {
      return driver;
    }
    try { // a software device has no driver's folder
      return switch (queryDevice().vendor()) {
        case DeviceAttributes.RXE_VENDOR -> "rdma_rxe";
        case SIW_VENDOR -> "siw";
        default -> "";
      };
    } catch (IOException gone) {
      return "";
    }
  }

  /** Returns whether polling a completion queue may take as long as a command to the firmware. */
  public boolean pollsBySystemCall() {
    return pollsBySystemCall(driver);
  }

  static boolean pollsBySystemCall(String driver) {
    return POLL_BY_SYSTEM_CALL.contains(driver);
  }

  @Override
  public DeviceAttributes queryDevice() throws IOException {
    try (Use _ = life.use("ibv_query_device")) {
      return DeviceQueries.device(pointer, name);
    }
  }

  @Override
  public PortAttributes queryPort(int port) throws IOException {
    try (Use _ = life.use("ibv_query_port")) {
      return DeviceQueries.port(pointer, port);
    }
  }

  @Override
  public GidEntry queryGid(int port, int index) throws IOException {
    try (Use _ = life.use("ibv_query_gid")) {
      return new GidAttributes(name, port).entry(index, DeviceQueries.gid(pointer, port, index));
    }
  }

  @Override
  public GidEntry.Type connectsBy(int port) throws IOException {
    int length = queryPort(port).gidTableLength();
    GidEntry.Type highest = GidEntry.Type.IB;
    for (int i = 0; i < length && highest != GidEntry.Type.ROCE_V2; i++) {
      GidEntry.Type type = queryGid(port, i).type();
      highest = type == GidEntry.Type.IB ? highest : type;
    }
    return new GidAttributes(name, port).connectsBy(highest);
  }

  @Override
  public @Nullable AsyncEvent nextAsyncEvent(long timeoutNanos) throws IOException {
    try (Use _ = life.use("ibv_get_async_event")) {
      return asyncEvents.next(Deadline.ofNanos(timeoutNanos));
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
