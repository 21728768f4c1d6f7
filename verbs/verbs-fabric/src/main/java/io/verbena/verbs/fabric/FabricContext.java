package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.GidEntry;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The device of a host's adapter. */
final class FabricContext extends IbvContext implements VerbsContext {
  private static final int MAX_OBJECTS = 1 << 20;

  /** The delay is long, so that a query mostly comes before the event. */
  private static final int LAST_REACHED_LATENCIES = 20;

  final Fabric fabric;
  final FabricHost host;
  final FabricAdapter adapter;
  final Keys keys = new Keys();
  final Handles handles = new Handles();
  private final List<FabricQp> qps = new ArrayList<>();
  private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();

  /** The queue pairs whose LAST_WQE_REACHED event is pending. */
  private final Set<FabricQp> lastReached = new LinkedHashSet<>();

  private final Map<DeviceLimit, Long> objects = new EnumMap<>(DeviceLimit.class);
  private long registeredBytes;
  private boolean broken;

  FabricContext(FabricHost host, FabricAdapter adapter, int number) throws IOException {
    super(number, host.profile.count(DeviceLimit.VECTORS));
    this.fabric = host.fabric;
    this.host = host;
    this.adapter = adapter;
  }

  @Override
  public VerbsProvider provider() {
    return host;
  }

  @Override
  public String deviceName() {
    return "fab" + getCmd_fd();
  }

  @Override
  public String driver() {
    return host.profile.driver();
  }

  @Override
  public int getCmd_fd() {
    return cmd_fd;
  }

  @Override
  public int getNumCompVectors() {
    return numCompVectors;
  }

  @Override
  public int queryOdpSupport() {
    return 0;
  }

  @Override
  public IbvPd allocPd() throws IOException {
    synchronized (fabric.lock) {
      check("ibv_alloc_pd");
      count("ibv_alloc_pd", DeviceLimit.DOMAINS);
      return new FabricPd(this, fabric.number());
    }
  }

  @Override
  public IbvCompChannel createCompChannel() throws IOException {
    synchronized (fabric.lock) {
      check("ibv_create_comp_channel");
      return new FabricCompChannel(this, fabric.number());
    }
  }

  @Override
  public IbvCQ createCQ(@Nullable IbvCompChannel channel, int entries, int vector)
      throws IOException {
    synchronized (fabric.lock) {
      check("ibv_create_cq");
      if (entries < 1
          || entries > host.profile.limit(DeviceLimit.COMPLETIONS)
          || vector < 0
          || vector >= numCompVectors) {
        throw new VerbsException(
            "ibv_create_cq",
            Errno.EINVAL,
            entries
                + " entries on vector "
                + vector
                + " are not possible; this device has "
                + numCompVectors
                + " vectors.");
      }
      host.vectors.add(vector);
      return new FabricCq(this, (FabricCompChannel) channel, entries, fabric.number());
    }
  }

  @Override
  public DeviceAttributes queryDevice() throws VerbsException {
    synchronized (fabric.lock) {
      check("ibv_query_device");
    }
    DeviceProfile profile = host.profile;
    return new DeviceAttributes(
        deviceName(),
        "0",
        profile.transport(),
        profile.windows() == DeviceProfile.Windows.UNBOUNDED
            ? DeviceAttributes.RXE_VENDOR
            : profile.vendor(),
        profile.flagsWindows() ? DeviceAttributes.withTypeTwoWindows() : 0,
        DeviceAttributes.AtomicCapability.DEVICE,
        Long.MAX_VALUE,
        MAX_OBJECTS,
        profile.count(DeviceLimit.REQUESTS),
        profile.count(DeviceLimit.PIECES),
        MAX_OBJECTS,
        profile.count(DeviceLimit.COMPLETIONS),
        profile.count(DeviceLimit.REGIONS),
        profile.count(DeviceLimit.DOMAINS),
        profile.reportsWindows() ? profile.count(DeviceLimit.WINDOWS) : 0,
        profile.srq() ? MAX_OBJECTS : 0,
        profile.count(DeviceLimit.SHARED_RECEIVES),
        profile.count(DeviceLimit.PIECES),
        profile.count(DeviceLimit.READS),
        profile.count(DeviceLimit.READS),
        1);
  }

  @Override
  public PortAttributes queryPort(int port) throws VerbsException {
    synchronized (fabric.lock) {
      checkPort("ibv_query_port", port);
      return new PortAttributes(true, 1024, 4096, 1L << 31, adapter.gids().size(), 0, true);
    }
  }

  @Override
  public GidEntry queryGid(int port, int index) throws VerbsException {
    synchronized (fabric.lock) {
      checkPort("ibv_query_gid", port);
      List<GidEntry> gids = adapter.gids();
      if (index < 0 || index >= gids.size()) {
        throw new VerbsException(
            "ibv_query_gid", Errno.EINVAL, "no index " + index + " in the port's GID table.");
      }
      return gids.get(index);
    }
  }

  @Override
  public GidEntry.Type connectsBy(int port) throws VerbsException {
    synchronized (fabric.lock) {
      checkPort("ibv_query_gid", port);
      return GidEntry.Type.ROCE_V2;
    }
  }

  @Override
  public @Nullable AsyncEvent nextAsyncEvent(long timeoutNanos) throws IOException {
    if (timeoutNanos < 0) {
      throw new IllegalArgumentException("A wait of " + timeoutNanos + " ns; at least 0");
    }
    synchronized (fabric.lock) {
      if (!lastReached.isEmpty()) { // a query may get the events at the worst moment
        lastReached.forEach(this::tellLastReached);
        lastReached.clear();
      }
      fabric.await(timeoutNanos, this::hasAsyncEvent);
      return events.poll();
    }
  }

  private void checkPort(String call, int port) throws VerbsException {
    check(call);
    checkSound(call);
    if (port != 1) {
      throw new VerbsException(call, Errno.EINVAL, "no port " + port + "; this device has port 1.");
    }
  }

  // The methods below are called under the fabric's lock, or are constant.

  void breakDown() {
    broken = true;
  }

  void checkSound(String call) throws VerbsException {
    if (broken) {
      throw new VerbsException(call, Errno.EIO, "the device has broken down.");
    }
  }

  boolean isRemoved() {
    return !isOpen;
  }

  void check(String call) throws VerbsException {
    host.check(call);
    if (!isOpen) {
      throw new VerbsException(call, Errno.EIO, "the device was removed.");
    }
  }

  boolean hasAsyncEvent() throws VerbsException {
    host.check("ibv_get_async_event");
    return !events.isEmpty();
  }

  /** Records that a queue pair takes no more shared receives. An event follows. */
  void reachedLast(FabricQp qp) {
    lastReached.add(qp);
    fabric.after(
        LAST_REACHED_LATENCIES * fabric.latency(),
        () -> {
          if (lastReached.remove(qp)) {
            tellLastReached(qp);
          }
        });
  }

  /**
   * Raises LAST_WQE_REACHED. The receives that the queue pair has taken are in the completion queue
   * by then. They are lost if the queue is not polled.
   */
  private void tellLastReached(FabricQp qp) {
    if (qp.isOpen()) {
      qp.flushTaken();
      AsyncEvent event = new AsyncEvent(AsyncEvent.Type.QP_LAST_WQE_REACHED, qp, null, null, 0);
      raise(event);
      if (host.profile.has(DeviceBehaviour.REPORTS_ODD_EVENTS)) {
        raise(event);
      }
    }
  }

  /** Raises events that are no failures, of a port, a queue pair and a queue that is unknown. */
  void raiseOddEvents(FabricQp qp) {
    for (AsyncEvent.Type type :
        List.of(
            AsyncEvent.Type.PORT_ACTIVE,
            AsyncEvent.Type.PORT_ERR,
            AsyncEvent.Type.GID_CHANGE,
            AsyncEvent.Type.SM_CHANGE,
            AsyncEvent.Type.CLIENT_REREGISTER)) {
      raise(new AsyncEvent(type, null, null, null, 1));
    }
    for (AsyncEvent.Type type :
        List.of(
            AsyncEvent.Type.COMM_EST, AsyncEvent.Type.SQ_DRAINED, AsyncEvent.Type.PATH_MIG_ERR)) {
      raise(new AsyncEvent(type, qp, null, null, 0));
    }
    raise(new AsyncEvent(AsyncEvent.Type.WQ_FATAL, null, null, null, 0));
  }

  void raise(AsyncEvent event) {
    events.add(event);
    fabric.wakeWaiters();
  }

  /** Counts registered memory, within the limit of the profile. */
  void register(long bytes) throws VerbsException {
    if (host.refusesMemory
        || bytes > host.profile.limit(DeviceLimit.REGISTERED_BYTES) - registeredBytes) {
      throw new VerbsException(
          "ibv_reg_mr",
          Errno.ENOMEM,
          "registering "
              + bytes
              + " more bytes exceeds the limit of locked memory. Raise it with"
              + " 'ulimit -l'.");
    }
    registeredBytes += bytes;
  }

  /** Counts one more object of a kind that the device has few of. */
  void count(String call, DeviceLimit limit) throws VerbsException {
    long made = objects.getOrDefault(limit, 0L);
    if (made >= host.profile.limit(limit)) {
      throw new VerbsException(call, Errno.ENOMEM, "the device has no more than " + made + ".");
    }
    objects.put(limit, made + 1);
  }

  void uncount(DeviceLimit limit) {
    objects.merge(limit, -1L, Long::sum);
  }

  void unregister(long bytes) {
    registeredBytes -= bytes;
  }

  void opened(FabricQp qp) {
    qps.add(qp);
  }

  void closed(FabricQp qp) {
    qps.remove(qp);
  }

  void fail(AsyncEvent.Type what) {
    qps.forEach(FabricQp::freeze);
    if (what == AsyncEvent.Type.DEVICE_FATAL) {
      raise(new AsyncEvent(what, null, null, null, 0));
    } else {
      qps.forEach(qp -> raise(qp.failure(what)));
    }
  }

  void remove() {
    isOpen = false;
    qps.forEach(FabricQp::freeze);
    raise(new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, null, null, null, 0));
  }
}
