package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A host of a {@link Fabric}: a provider of verbs with one device, and the faults that can befall
 * it. Safe for use by several threads.
 */
public final class FabricHost implements VerbsProvider {
  final Fabric fabric;
  private final String name;
  private final DeviceProfile profile;
  private final List<InetAddress> addresses;
  private final Map<Integer, FabricCmId> listeners = new HashMap<>();
  private final List<FabricCmId> ids = new ArrayList<>();
  private @Nullable FabricContext device;
  private RequestWatcher watcher = (opcode, bytes) -> {};
  private boolean processAlive = true;
  private boolean powered = true;
  private boolean keepsQueuePairs;
  private int nextPort = 32_768;

  FabricHost(Fabric fabric, String name, DeviceProfile profile, List<InetAddress> addresses) {
    this.fabric = fabric;
    this.name = name;
    this.profile = profile;
    this.addresses = addresses;
    device = newDevice();
  }

  @Override
  public String name() {
    return "fabric:" + name;
  }

  /** The device's addresses. */
  public List<InetAddress> addresses() {
    return addresses;
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
      return device == null ? List.of() : List.of(device);
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

  /**
   * Removes the device, as {@code rdma link delete} does: DEVICE_REMOVAL on every id, DEVICE_FATAL
   * on the device, and its objects are good for nothing but being destroyed.
   */
  public void removeDevice() {
    synchronized (fabric.lock) {
      if (device != null) {
        device.remove();
        device = null;
      }
      for (FabricCmId id : List.copyOf(ids)) {
        id.deviceRemoved();
      }
    }
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

  /** Puts a new device in the place of a removed one. */
  public void restoreDevice() {
    synchronized (fabric.lock) {
      if (device == null) {
        device = newDevice();
      }
    }
  }

  /**
   * Tells of every request that this host's device carries out from now on, in place of another.
   */
  public void watch(RequestWatcher told) {
    synchronized (fabric.lock) {
      watcher = told;
    }
  }

  // Everything below is called under the fabric's lock.

  RequestWatcher watcher() {
    return watcher;
  }

  private FabricContext newDevice() {
    try {
      return new FabricContext(this, fabric.number());
    } catch (IOException e) {
      throw new IllegalStateException("DiSNI's constructors fail only without a provider", e);
    }
  }

  boolean isPowered() {
    return powered;
  }

  /** Null once it was removed. */
  @Nullable FabricContext device() {
    return device;
  }

  void check(String call) throws VerbsException {
    if (!processAlive) {
      throw new VerbsException(call, Errno.EIO, "host " + name + " was killed by the test.");
    }
  }

  void checkDestroysQueuePairs(String call) throws VerbsException {
    if (keepsQueuePairs) {
      throw new VerbsException(
          call, Errno.EIO, "the device of host " + name + " keeps its queue pairs.");
    }
  }

  FabricContext checkDevice(String call) throws VerbsException {
    check(call);
    if (device == null) {
      throw new VerbsException(call, Errno.ENODEV, "host " + name + " has no verbs device.");
    }
    return device;
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
