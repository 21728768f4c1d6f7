package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A host of a {@link Fabric}: a provider of verbs with a device for each of its adapters, and the
 * faults that can befall it. Safe for use by several threads.
 */
public final class FabricHost implements VerbsProvider {
  final Fabric fabric;
  final Tally tally = new Tally();
  private final String name;
  private final DeviceProfile profile;
  private final List<FabricAdapter> adapters = new ArrayList<>();
  private final Map<Integer, FabricCmId> listeners = new HashMap<>();
  private final List<FabricCmId> ids = new ArrayList<>();
  private @Nullable Path files;
  private BiConsumer<Integer, BitSet> binder = (thread, processors) -> {};
  private RequestWatcher watcher = (opcode, bytes) -> {};
  private IntUnaryOperator forgery = IntUnaryOperator.identity();
  private boolean processAlive = true;
  private boolean powered = true;
  private boolean keepsQueuePairs;
  private boolean keepsObjects;
  private boolean refusesConnections;
  private boolean ignoresConnections;
  private boolean refusesMemory;
  private int failing;
  private int objects;
  private int nextPort = 32_768;

  FabricHost(Fabric fabric, String name, DeviceProfile profile, List<InetAddress> addresses) {
    this.fabric = fabric;
    this.name = name;
    this.profile = profile;
    adapters.add(new FabricAdapter(this, 0, addresses));
  }

  @Override
  public String name() {
    return "fabric:" + name;
  }

  /**
   * Adds one more adapter, with a device of the host's profile.
   *
   * @param addresses the device's, not used by any host that is alive
   */
  public FabricAdapter addAdapter(InetAddress... addresses) {
    synchronized (fabric.lock) {
      fabric.requireFree(addresses);
      FabricAdapter added = new FabricAdapter(this, adapters.size(), List.of(addresses));
      adapters.add(added);
      return added;
    }
  }

  /** Returns the adapter that the host was made with. */
  public FabricAdapter adapter() {
    synchronized (fabric.lock) {
      return adapters.getFirst();
    }
  }

  /** Returns all, in the order in which they were added. */
  public List<FabricAdapter> adapters() {
    synchronized (fabric.lock) {
      return List.copyOf(adapters);
    }
  }

  /** The devices' addresses. */
  public List<InetAddress> addresses() {
    synchronized (fabric.lock) {
      return adapters.stream().flatMap(adapter -> adapter.addresses().stream()).toList();
    }
  }

  DeviceProfile profile() {
    return profile;
  }

  @Override
  public Optional<VerbsException> problem() {
    synchronized (fabric.lock) {
      try {
        checkDevice("rdma_create_event_channel");
        return Optional.empty();
      } catch (VerbsException e) {
        return Optional.of(e);
      }
    }
  }

  @Override
  public RdmaEventChannel createEventChannel() throws IOException {
    synchronized (fabric.lock) {
      checkDevice("rdma_create_event_channel");
      return new FabricEventChannel(this);
    }
  }

  @Override
  public List<IbvContext> devices() throws IOException {
    synchronized (fabric.lock) {
      check("rdma_get_devices");
      List<IbvContext> devices = new ArrayList<>();
      for (FabricAdapter adapter : adapters) {
        FabricContext device = adapter.device();
        if (device != null) {
          devices.add(device);
        }
      }
      return devices;
    }
  }

  @Override
  public List<HostAddress> hostAddresses() {
    synchronized (fabric.lock) {
      return adapters.stream().flatMap(adapter -> adapter.hostAddresses().stream()).toList();
    }
  }

  @Override
  public WaitSet newWaitSet() {
    return new FabricWaitSet(fabric);
  }

  /**
   * The process dies, as by a signal: its connections end as the kernel ends them, peers see
   * DISCONNECTED, and every later call on its objects fails with EIO. The host cannot be used
   * again; add another.
   */
  public void killProcess() {
    synchronized (fabric.lock) {
      for (FabricCmId id : List.copyOf(ids)) {
        id.abandon();
      }
      listeners.clear();
      processAlive = false;
      fabric.wakeWaiters();
    }
  }

  /** The whole host falls silent: peers learn it from their retries and time-outs only. */
  public void powerOff() {
    synchronized (fabric.lock) {
      processAlive = false;
      powered = false;
      fabric.wakeWaiters();
    }
  }

  /** {@linkplain FabricAdapter#unplug Removes} the device of the first adapter. */
  public void removeDevice() {
    adapter().unplug();
  }

  /**
   * Has the device refuse to destroy queue pairs with EIO, or no longer, as one does whose firmware
   * does not answer. They go on to be usable.
   */
  public void keepQueuePairs(boolean kept) {
    synchronized (fabric.lock) {
      keepsQueuePairs = kept;
    }
  }

  /**
   * Has its devices, also removed ones, refuse to destroy anything with EIO, or no longer. The
   * objects go on to be there.
   */
  public void keepObjects(boolean kept) {
    synchronized (fabric.lock) {
      keepsObjects = kept;
    }
  }

  /**
   * Has the next requests that its devices carry out for their owners fail with GENERAL_ERR, which
   * ends their queue pairs.
   *
   * @param requests how many
   */
  public void failRequests(int requests) {
    synchronized (fabric.lock) {
      failing = requests;
    }
  }

  /** Has it reject every connection that it is asked for, or no longer. */
  public void refuseConnections(boolean refused) {
    synchronized (fabric.lock) {
      refusesConnections = refused;
    }
  }

  /** Has it not answer who asks for a connection, or again: those ask again for a minute. */
  public void ignoreConnections(boolean ignored) {
    synchronized (fabric.lock) {
      ignoresConnections = ignored;
    }
  }

  /** Has its devices register no memory, as if all that may be locked were; or again. */
  public void refuseMemory(boolean refused) {
    synchronized (fabric.lock) {
      refusesMemory = refused;
    }
  }

  /**
   * Returns how many objects of its devices stand: domains, regions, windows, queues, queue pairs
   * and completion channels.
   */
  public int objects() {
    synchronized (fabric.lock) {
      return objects;
    }
  }

  /**
   * Gives it files that tell of its nodes and processors.
   *
   * @param root where they are
   * @param told binds its threads, or only hears which would run on which processors
   */
  public void hostFiles(Path root, BiConsumer<Integer, BitSet> told) {
    synchronized (fabric.lock) {
      files = root;
      binder = told;
    }
  }

  @Override
  public Optional<Path> hostFiles() {
    synchronized (fabric.lock) {
      return Optional.ofNullable(files);
    }
  }

  @Override
  public void bindThread(int thread, BitSet processors) {
    synchronized (fabric.lock) {
      binder.accept(thread, processors);
    }
  }

  /** Returns the traffic classes of the connections that it has made or accepted, each once. */
  public Set<Integer> trafficClasses() {
    synchronized (fabric.lock) {
      return ids.stream()
          .filter(id -> id.isIn(FabricCmId.State.ACCEPTED) || id.isIn(FabricCmId.State.CONNECTED))
          .map(FabricCmId::trafficClass)
          .collect(Collectors.toSet());
    }
  }

  /** Returns what was asked of its devices so far, removed ones included. */
  public VerbsCounts counts() {
    synchronized (fabric.lock) {
      return tally.counts();
    }
  }

  /** Puts a new device in the place of the first adapter's, which was removed. */
  public void restoreDevice() {
    adapter().plugIn();
  }

  /** Tells of every request that this host's devices carry out from now on, in place of another. */
  public void watch(RequestWatcher told) {
    synchronized (fabric.lock) {
      watcher = told;
    }
  }

  /**
   * Has this host's devices send other immediates than they are told, as a forger's do.
   *
   * @param forgery turns what was given into what is sent, both in this machine's order; the
   *     identity ends it
   */
  public void forge(IntUnaryOperator forgery) {
    synchronized (fabric.lock) {
      this.forgery = forgery;
    }
  }

  // Everything below is called under the fabric's lock.

  /** Returns whether a request that is to be carried out fails. */
  boolean failsRequest() {
    return failing > 0 && failing-- > 0;
  }

  boolean refusesConnections() {
    return refusesConnections;
  }

  boolean ignoresConnections() {
    return ignoresConnections;
  }

  boolean refusesMemory() {
    return refusesMemory;
  }

  /** Returns what is sent in place of an immediate; both in network order. */
  int forged(int immediate) {
    boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    int told = little ? Integer.reverseBytes(immediate) : immediate;
    int sent = forgery.applyAsInt(told);
    return little ? Integer.reverseBytes(sent) : sent;
  }

  RequestWatcher watcher() {
    return watcher;
  }

  boolean isPowered() {
    return powered;
  }

  /** Returns the device that has an address; null where none has, or it was removed. */
  @Nullable FabricContext deviceAt(InetAddress address) {
    for (FabricAdapter adapter : adapters) {
      if (adapter.has(address)) {
        return adapter.device();
      }
    }
    return null;
  }

  void deviceRemoved(FabricContext device) {
    for (FabricCmId id : List.copyOf(ids)) {
      id.deviceRemoved(device);
    }
  }

  void check(String call) throws VerbsException {
    if (!processAlive) {
      throw new VerbsException(call, Errno.EIO, "host " + name + " was killed by the test.");
    }
  }

  /** An object of a device is about to be destroyed. */
  void checkDestroys(String call) throws VerbsException {
    check(call);
    if (keepsObjects) {
      throw new VerbsException(call, Errno.EIO, "the devices of host " + name + " keep objects.");
    }
  }

  void checkDestroysQueuePairs(String call) throws VerbsException {
    checkDestroys(call);
    if (keepsQueuePairs) {
      throw new VerbsException(
          call, Errno.EIO, "the device of host " + name + " keeps its queue pairs.");
    }
  }

  /** Returns the first device there is. */
  FabricContext checkDevice(String call) throws VerbsException {
    check(call);
    for (FabricAdapter adapter : adapters) {
      FabricContext device = adapter.device();
      if (device != null) {
        return device;
      }
    }
    throw noDevice(call);
  }

  /** Returns the device that the host's routes lead by to an address: any in its network, first. */
  FabricContext checkRoute(String call, InetAddress to) throws VerbsException {
    for (FabricAdapter adapter : adapters) {
      FabricContext device = adapter.device();
      if (device != null
          && adapter.addresses().stream().anyMatch(own -> Fabric.shareNetwork(own, to))) {
        check(call);
        return device;
      }
    }
    return checkDevice(call);
  }

  /** Returns the device that has an address. */
  FabricContext checkDevice(String call, InetAddress address) throws VerbsException {
    check(call);
    FabricContext device = deviceAt(address);
    if (device == null) {
      throw noDevice(call);
    }
    return device;
  }

  private VerbsException noDevice(String call) {
    return new VerbsException(call, Errno.ENODEV, "host " + name + " has no verbs device.");
  }

  void objectMade() {
    objects++;
  }

  void objectDestroyed() {
    objects--;
  }

  void opened(FabricCmId id) {
    ids.add(id);
  }

  void closed(FabricCmId id) {
    ids.remove(id);
    listeners.values().remove(id);
  }

  /** Takes a port for an id, or a free one for 0. */
  int claimPort(FabricCmId id, int port) throws VerbsException {
    int claimed = port == 0 ? nextPort++ : port;
    if (listeners.putIfAbsent(claimed, id) != null) {
      throw new VerbsException(
          "rdma_bind_addr", Errno.EADDRINUSE, "port " + port + " is taken. Use another, or 0.");
    }
    return claimed;
  }

  @Nullable FabricCmId listener(int port) {
    FabricCmId id = processAlive ? listeners.get(port) : null;
    return id != null && id.isListening() ? id : null;
  }
}
