package io.verbena.verbs.ffm;

import io.verbena.verbs.ext.HostAddress;
import java.io.IOException;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The addresses of this host with full hardware addresses. Java shows only six bytes of them. */
final class HardwareAddresses {
  private HardwareAddresses() {}

  /**
   * Returns the addresses of all interfaces.
   *
   * @param folder the kernel's folder, with a folder for each interface
   */
  static List<HostAddress> of(Path folder) throws IOException {
    List<HostAddress> found = new ArrayList<>();
    for (NetworkInterface one : NetworkInterface.networkInterfaces().toList()) {
      String hardware = hardware(folder.resolve(one.getName()));
      for (InterfaceAddress address : one.getInterfaceAddresses()) {
        found.add(
            new HostAddress(
                one.getName(), hardware, address.getAddress(), address.getNetworkPrefixLength()));
      }
    }
    return found;
  }

  private static String hardware(Path netdev) {
    try {
      return Files.readString(netdev.resolve("address")).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
