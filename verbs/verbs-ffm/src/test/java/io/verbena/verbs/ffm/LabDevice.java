package io.verbena.verbs.ffm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The device for tests tagged "lab". */
final class LabDevice {
  private LabDevice() {}

  static InetSocketAddress ipv4(int port) {
    return socket(variable("LAB_ADDRESS"), port);
  }

  static InetSocketAddress ipv6(int port) {
    return socket(variable("LAB_ADDRESS6"), port);
  }

  private static InetSocketAddress socket(String address, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByName(address), port);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(address + " is no IP address", e);
    }
  }

  static String name() {
    return variable("LAB_DEVICE");
  }

  private static String variable(String name) {
    String value = System.getenv(name);
    if (value == null || value.isEmpty()) {
      throw new IllegalStateException(
          name + " is not set: run the tests tagged lab by 'lab/run-tests verbs-ffm'.");
    }
    return value;
  }
}
