package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A host of a {@link Fabric}. It is a provider of verbs with a device for each adapter. Tests
 * inject faults with its methods. Safe for use by any thread.
 */
public final class FabricHost implements VerbsProvider {
  final Fabric fabric;
  final Tally tally = new Tally();
  private final String name;
  final DeviceProfile profile;
  private final List<FabricAdapter> adapters = new ArrayList<>();
  private final Map<Integer, FabricCmId> listeners = new HashMap<>();
  private final List<FabricCmId> ids = new ArrayList<>();
  RequestWatcher watcher = (opcode, bytes) -> {};
  private IntUnaryOperator forgery = IntUnaryOperator.identity();
  private boolean processAlive = true;
  boolean powered = true;
  private boolean keepsQueuePairs;
  private boolean keepsObjects;
  boolean refusesConnections;
  boolean ignoresConnections;
  boolean refusesMemory;
  boolean lacksAckTimeouts;
  private int mostObjects = Integer.MAX_VALUE;
  final Set<Integer> vectors = new HashSet<>();
  private MemorySegment mappedFile = MemorySegment.NULL;
  private int failing;
  int objects;
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
   * Adds an adapter, with a device of the host's profile.
   *
   * @param addresses the device's addresses, which no live host uses
   */
  public FabricAdapter addAdapter(InetAddress... addresses) {
    synchronized (fabric.lock) {
      fabric.requireFree(addresses);
      FabricAdapter added = new FabricAdapter(this, adapters.size(), List.of(addresses));
      adapters.add(added);
      return added;
    }
  }

  /** Returns the first adapter. */
  public FabricAdapter adapter() {
    synchronized (fabric.lock) {
      return adapters.getFirst();
    }
  }

  /** Returns all adapters, in the order of adding. */
  public List<FabricAdapter> adapters() {
    synchronized (fabric.lock) {
      return List.copyOf(adapters);
    }
  }

  /** Returns the addresses of all devices. */
  public List<InetAddress> addresses() {
    synchronized (fabric.lock) {
      return adapters.stream().flatMap(adapter -> adapter.addresses().stream()).toList();
    }
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
   * Kills the process, as a signal does. The kernel ends its connections, so peers see
   * DISCONNECTED. Every later call on its objects fails with EIO. The host cannot be used again;
   * add another.
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

  /** Powers the host off. Peers notice it only by their retries and timeouts. */
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
   * Makes the device refuse to destroy queue pairs with EIO, or ends that. A device does so if its
   * firmware does not answer. The queue pairs stay usable.
   */
  public void keepQueuePairs(boolean kept) {
    synchronized (fabric.lock) {
      keepsQueuePairs = kept;
    }
  }

  /**
   * Makes all devices, also removed ones, refuse to destroy any object with EIO, or ends that. The
   * objects continue to exist.
   */
  public void keepObjects(boolean kept) {
    synchronized (fabric.lock) {
      keepsObjects = kept;
    }
  }

  /** Makes the next requests of its devices fail with GENERAL_ERR, which ends their queue pairs. */
  public void failRequests(int requests) {
    synchronized (fabric.lock) {
      failing = requests;
    }
  }

  /** Makes the host reject every connection request, or ends that. */
  public void refuseConnections(boolean refused) {
    synchronized (fabric.lock) {
      refusesConnections = refused;
    }
  }

  /** Makes the host ignore connection requests, or ends that. Peers repeat them for a minute. */
  public void ignoreConnections(boolean ignored) {
    synchronized (fabric.lock) {
      ignoresConnections = ignored;
    }
  }

  /** Makes registrations fail as at the limit of locked memory, or ends that. */
  public void refuseMemory(boolean refused) {
    synchronized (fabric.lock) {
      refusesMemory = refused;
    }
  }

  /** Makes further regions and windows fail, as the limit rdma.max of a control group does. */
  public void limitObjects(int most) {
    synchronized (fabric.lock) {
      mostObjects = most;
    }
  }

  /**
   * Makes this memory the mapping of a file: since 6.5 Linux does not register it for local write.
   */
  public void mapFile(MemorySegment memory) {
    synchronized (fabric.lock) {
      mappedFile = memory;
    }
  }

  /** Takes away the ACK timeouts of connections, which Linux has since 5.1. */
  public void takeAckTimeouts() {
    synchronized (fabric.lock) {
      lacksAckTimeouts = true;
    }
  }

  /**
   * Returns the number of objects of its devices: domains, regions, windows, queues, queue pairs
   * and completion channels.
   */
  public int objects() {
    synchronized (fabric.lock) {
      return objects;
    }
  }

  /** Returns the interrupt vectors of all completion queues so far. */
  public Set<Integer> vectors() {
    synchronized (fabric.lock) {
      return Set.copyOf(vectors);
    }
  }

  /** Returns the traffic classes of all connections that the host has made or accepted. */
  public Set<Integer> trafficClasses() {
    synchronized (fabric.lock) {
      return ids.stream()
          .filter(id -> id.isIn(FabricCmId.State.ACCEPTED) || id.isIn(FabricCmId.State.CONNECTED))
          .map(FabricCmId::trafficClass)
          .collect(Collectors.toSet());
    }
  }

  /** Returns the counts of requests to its devices so far, removed devices included. */
  public VerbsCounts counts() {
    synchronized (fabric.lock) {
      return tally.counts();
    }
  }

  /** Replaces the removed device of the first adapter by a new one. */
  public void restoreDevice() {
    adapter().plugIn();
  }

  /** Sets the watcher of all requests that this host's devices carry out from now on. */
  public void watch(RequestWatcher told) {
    synchronized (fabric.lock) {
      watcher = told;
    }
  }

  /**
   * Makes this host's devices send forged immediates.
   *
   * @param forgery turns the given immediate into the sent one, both in this machine's byte order.
   *     The identity ends the forgery
   */
  public void forge(IntUnaryOperator forgery) {
    synchronized (fabric.lock) {
      this.forgery = forgery;
    }
  }

  // The methods below are called under the fabric's lock.

  /** Returns whether the next request fails, and counts it. */
  boolean failsRequest() {
    return failing > 0 && failing-- > 0;
  }

  void checkObjects(String call) throws VerbsException {
    if (objects >= mostObjects) {
      throw new VerbsException(call, Errno.EAGAIN, "the control group allows no more objects.");
    }
  }

  boolean isInMappedFile(long address) {
    return address >= mappedFile.address()
        && address - mappedFile.address() < mappedFile.byteSize();
  }

  /** Returns the forged immediate; both are in network byte order. */
  int forged(int immediate) {
    boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    int told = little ? Integer.reverseBytes(immediate) : immediate;
    int sent = forgery.applyAsInt(told);
    return little ? Integer.reverseBytes(sent) : sent;
  }

  /** Returns the device with an address; null if there is none, or if it was removed. */
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

  /** Checks that an object is open, and that its process lives. */
  void use(String call, boolean open, String object) throws VerbsException {
    if (!open) {
      throw VerbsException.closed(call, object);
    }
    check(call);
  }

  /** Checks that the devices of this host do not keep their objects. */
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

  /** Returns the first device, or fails if there is none. */
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

  /**
   * Returns the device for a route to an address. A device in the network of the address is first.
   */
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

  /** Returns the device with an address, or fails if there is none. */
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

  void opened(FabricCmId id) {
    ids.add(id);
  }

  void closed(FabricCmId id) {
    ids.remove(id);
    listeners.values().remove(id);
  }

  /** Reserves a port for an id; a free port for 0. */
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
