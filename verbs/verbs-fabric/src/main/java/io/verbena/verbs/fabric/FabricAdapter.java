package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.Gid;
import io.verbena.verbs.ext.GidEntry;
import io.verbena.verbs.ext.HostAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A network adapter of a {@link FabricHost}, with its addresses, and its verbs device while it is
 * plugged in. Safe for use by any thread.
 */
public final class FabricAdapter {
  /** The first hardware address. Each host has its own; packets do not use them. */
  private static final long HARDWARE = 0x02_00_00_00_00_00L;

  private static final int HARDWARE_BITS = 48;

  private final FabricHost host;
  private final int index;
  private final List<InetAddress> addresses;
  private @Nullable FabricContext device;
  private boolean hasRoceV1;

  /** The nanoseconds to send a byte; 0 for no limit. */
  private double byteNanos;

  private long busyUntil;
  private long carried;

  FabricAdapter(FabricHost host, int index, List<InetAddress> addresses) {
    this.host = host;
    this.index = index;
    this.addresses = new CopyOnWriteArrayList<>(addresses);
    device = newDevice();
  }

  /** Returns the name of the network interface. */
  public String netdev() {
    return "eth" + index;
  }

  /** Returns the name of the device; empty while it is unplugged. */
  public String deviceName() {
    synchronized (host.fabric.lock) {
      return device == null ? "" : device.deviceName();
    }
  }

  /**
   * Puts each address twice into the GID table from now on, as real adapters do. The first entry is
   * for version 1 of RoCE, which no connection uses, the second for version 2.
   */
  public void addRoceV1() {
    synchronized (host.fabric.lock) {
      hasRoceV1 = true;
    }
  }

  /**
   * Limits the rate of sending from now on, for all queue pairs together. Zero means no limit,
   * which is the default.
   */
  public void limit(long bytesPerSecond) {
    synchronized (host.fabric.lock) {
      byteNanos = bytesPerSecond == 0 ? 0 : 1e9 / bytesPerSecond;
    }
  }

  /** Returns the bytes that its requests have carried to peers. */
  public long carried() {
    synchronized (host.fabric.lock) {
      return carried;
    }
  }

  /** Returns the time at which all requests so far are sent. */
  long busyUntil() {
    return busyUntil;
  }

  void carry(long bytes, long now) {
    carried += bytes;
    if (byteNanos > 0) {
      busyUntil = Math.max(now, busyUntil) + (long) (bytes * byteNanos);
    }
  }

  /** Returns the current addresses, in the order of the device's GID table. */
  public List<InetAddress> addresses() {
    return List.copyOf(addresses);
  }

  /**
   * Adds an address.
   *
   * @param address an address that no live host uses
   */
  public void acquire(InetAddress address) {
    synchronized (host.fabric.lock) {
      host.fabric.requireFree(address);
      addresses.add(address);
    }
  }

  /** Removes an address. Its listeners get no event, and no peer reaches them any more. */
  public void lose(InetAddress address) {
    synchronized (host.fabric.lock) {
      addresses.remove(address);
    }
  }

  /**
   * Removes the device, as {@code rdma link delete} does. Every id on the device gets
   * DEVICE_REMOVAL, and the device DEVICE_FATAL. Its objects can only be destroyed.
   */
  public void unplug() {
    synchronized (host.fabric.lock) {
      FabricContext removed = device;
      unplugUnheard();
      if (removed != null) {
        host.deviceRemoved(removed);
      }
    }
  }

  /**
   * Removes the device without events for ids. Some kernels inform the connection manager last,
   * when no process has the device open any more.
   */
  public void unplugUnheard() {
    synchronized (host.fabric.lock) {
      if (device != null) {
        device.remove();
        device = null;
      }
    }
  }

  /** Replaces a removed device by a new one. */
  public void plugIn() {
    synchronized (host.fabric.lock) {
      if (device == null) {
        device = newDevice();
      }
    }
  }

  /** Makes the device's completion queues unreadable from now on, without any event. */
  public void breakDown() {
    synchronized (host.fabric.lock) {
      if (device != null) {
        device.breakDown();
      }
    }
  }

  /**
   * Makes the device report that something has failed: each of its queue pairs, or a queue of each
   * of them, or the device itself. Its requests stand still from now on.
   *
   * @param what QP_FATAL, CQ_ERR, SRQ_ERR or DEVICE_FATAL
   */
  public void fail(AsyncEvent.Type what) {
    synchronized (host.fabric.lock) {
      if (device != null) {
        device.fail(what);
      }
    }
  }

  // The methods below are called under the fabric's lock.

  private FabricContext newDevice() {
    try {
      return new FabricContext(host, this, host.fabric.number());
    } catch (IOException e) {
      throw new IllegalStateException("DiSNI's constructors fail only without a provider", e);
    }
  }

  /** Returns the GID table. GIDs of an iWARP device are hardware addresses. */
  List<GidEntry> gids() {
    if (host.profile.isIwarp()) {
      Gid gid = new Gid((HARDWARE + index) << (Long.SIZE - HARDWARE_BITS), 0);
      return List.of(new GidEntry(gid, GidEntry.Type.IB, ""));
    }
    List<GidEntry> gids = new ArrayList<>();
    for (InetAddress address : addresses) {
      if (hasRoceV1) {
        gids.add(new GidEntry(gid(address), GidEntry.Type.ROCE_V1, netdev()));
      }
      gids.add(new GidEntry(gid(address), GidEntry.Type.ROCE_V2, netdev()));
    }
    return gids;
  }

  List<HostAddress> hostAddresses() {
    String hardware = HexFormat.ofDelimiter(":").formatHex(hardware());
    return addresses.stream()
        .map(one -> new HostAddress(netdev(), hardware, one, Fabric.networkBits(one)))
        .toList();
  }

  private byte[] hardware() {
    byte[] whole = ByteBuffer.allocate(Long.BYTES).putLong(HARDWARE + index).array();
    return Arrays.copyOfRange(whole, Short.BYTES, Long.BYTES);
  }

  private static Gid gid(InetAddress address) {
    byte[] bytes = address.getAddress();
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return bytes.length == 4
        ? new Gid(0, 0xffff_0000_0000L | Integer.toUnsignedLong(buffer.getInt()))
        : new Gid(buffer.getLong(), buffer.getLong());
  }

  /** Returns the device; null while it is unplugged. */
  @Nullable FabricContext device() {
    return device;
  }

  boolean has(InetAddress address) {
    return addresses.contains(address);
  }
}
