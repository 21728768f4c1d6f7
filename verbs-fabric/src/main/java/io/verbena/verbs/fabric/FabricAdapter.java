package io.verbena.verbs.fabric;

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
 * A network adapter of a {@link FabricHost}: its addresses, and its verbs device while it is
 * plugged in. Safe for use by several threads.
 */
public final class FabricAdapter {
  /** Where hardware addresses begin, of which each host has its own: nothing goes by them. */
  private static final long HARDWARE = 0x02_00_00_00_00_00L;

  private static final int HARDWARE_BITS = 48;

  private final FabricHost host;
  private final int index;
  private final List<InetAddress> addresses;
  private @Nullable FabricContext device;
  private boolean hasRoceV1;

  /** Nanoseconds that a byte takes on its way out; 0: none. */
  private double byteNanos;

  private long busyUntil;
  private long carried;

  FabricAdapter(FabricHost host, int index, List<InetAddress> addresses) {
    this.host = host;
    this.index = index;
    this.addresses = new CopyOnWriteArrayList<>(addresses);
    device = newDevice();
  }

  /** Returns the name of its network interface. */
  public String netdev() {
    return "eth" + index;
  }

  /** Returns the name of its device; an empty text while it is unplugged. */
  public String deviceName() {
    synchronized (host.fabric.lock) {
      return device == null ? "" : device.deviceName();
    }
  }

  /**
   * Has each address twice in the GID table from now on, as adapters do: first for version 1 of
   * RoCE, by which nobody connects, then for version 2.
   */
  public void addRoceV1() {
    synchronized (host.fabric.lock) {
      hasRoceV1 = true;
    }
  }

  /**
   * Has it send no faster than this from now on, all its queue pairs together; 0: as fast as can
   * be, as it does at first.
   */
  public void limit(long bytesPerSecond) {
    synchronized (host.fabric.lock) {
      byteNanos = bytesPerSecond == 0 ? 0 : 1e9 / bytesPerSecond;
    }
  }

  /** Returns how many bytes its requests have carried to peers. */
  public long carried() {
    synchronized (host.fabric.lock) {
      return carried;
    }
  }

  /** Until when it sends what it has taken. */
  long busyUntil() {
    return busyUntil;
  }

  void carry(long bytes, long now) {
    carried += bytes;
    if (byteNanos > 0) {
      busyUntil = Math.max(now, busyUntil) + (long) (bytes * byteNanos);
    }
  }

  /** Returns its addresses now, in the order of the device's GID table. */
  public List<InetAddress> addresses() {
    return List.copyOf(addresses);
  }

  /**
   * Gives it one more address.
   *
   * @param address not used by any host that is alive
   */
  public void acquire(InetAddress address) {
    synchronized (host.fabric.lock) {
      host.fabric.requireFree(address);
      addresses.add(address);
    }
  }

  /** Takes an address away; listeners there are not told, and are reached no more. */
  public void lose(InetAddress address) {
    synchronized (host.fabric.lock) {
      addresses.remove(address);
    }
  }

  /**
   * Removes the device, as {@code rdma link delete} does: DEVICE_REMOVAL on every id that stands on
   * it, DEVICE_FATAL on the device, and its objects are good for nothing but being destroyed.
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
   * Removes the device as a kernel does that tells the connection manager last, when nobody has the
   * device open any more: no id hears of it.
   */
  public void unplugUnheard() {
    synchronized (host.fabric.lock) {
      if (device != null) {
        device.remove();
        device = null;
      }
    }
  }

  /** Puts a new device in the place of a removed one. */
  public void plugIn() {
    synchronized (host.fabric.lock) {
      if (device == null) {
        device = newDevice();
      }
    }
  }

  /** From now on the device's completion queues cannot be read; nothing else tells. */
  public void breakDown() {
    synchronized (host.fabric.lock) {
      if (device != null) {
        device.breakDown();
      }
    }
  }

  // Everything below is called under the fabric's lock.

  private FabricContext newDevice() {
    try {
      return new FabricContext(host, this, host.fabric.number());
    } catch (IOException e) {
      throw new IllegalStateException("DiSNI's constructors fail only without a provider", e);
    }
  }

  /** Those of an iWARP device are hardware addresses. */
  List<GidEntry> gids() {
    if (host.profile().isIwarp()) {
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

  /** Null while it is unplugged. */
  @Nullable FabricContext device() {
    return device;
  }

  boolean has(InetAddress address) {
    return addresses.contains(address);
  }
}
