package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.verbs.ext.Gid;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Which addresses of this host may lead to a verbs device. */
public final class DeviceAddresses {
  /** GID tables are filled from the front and may have a thousand places. */
  private static final int EMPTY_IN_A_ROW = 8;

  private DeviceAddresses() {}

  /**
   * Returns the addresses in the GID tables of active ports, which on RoCE are the devices', then
   * the host's other ones, some of which may be an IPoIB or iWARP device's: binding tells.
   *
   * @throws IOException if devices cannot be listed, or there are some and none can be queried
   */
  public static Set<InetAddress> find(VerbsProvider provider) throws IOException {
    Set<InetAddress> found = new LinkedHashSet<>();
    List<IbvContext> devices = provider.devices();
    int broken = 0;
    for (IbvContext context : devices) {
      try {
        addDevice(VerbsContext.of(context), found);
      } catch (IOException e) {
        if (++broken == devices.size()) {
          throw e;
        }
      }
    }
    addInterfaces(found);
    return found;
  }

  private static void addDevice(VerbsContext device, Set<InetAddress> found) throws IOException {
    int ports = device.queryDevice().ports();
    for (int port = 1; port <= ports; port++) {
      addPort(device, port, found);
    }
  }

  private static void addPort(VerbsContext device, int port, Set<InetAddress> found)
      throws IOException {
    PortAttributes attributes = device.queryPort(port);
    int empty = 0;
    for (int i = 0; i < attributes.gidTableLength() && empty < EMPTY_IN_A_ROW; i++) {
      Gid gid = device.queryGid(port, i);
      if (gid.isEmpty()) {
        empty++;
      } else {
        empty = 0;
        if (attributes.active() && reachesFar(gid.toAddress())) {
          found.add(gid.toAddress());
        }
      }
    }
  }

  private static void addInterfaces(Set<InetAddress> found) {
    try (Stream<NetworkInterface> interfaces = NetworkInterface.networkInterfaces()) {
      interfaces
          .flatMap(NetworkInterface::inetAddresses)
          .filter(DeviceAddresses::reachesFar)
          .forEach(found::add);
    } catch (SocketException e) {
      // Only what the devices say of themselves, then.
    }
  }

  /** Link-local addresses need a scope that a peer cannot know. */
  private static boolean reachesFar(InetAddress address) {
    return !address.isLinkLocalAddress()
        && !address.isLoopbackAddress()
        && !address.isAnyLocalAddress()
        && !address.isMulticastAddress();
  }
}
