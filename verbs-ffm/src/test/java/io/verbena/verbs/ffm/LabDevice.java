package io.verbena.verbs.ffm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Where the device is that tests tagged "lab" run on. */
final class LabDevice {
  private LabDevice() {}

  static InetSocketAddress ipv4(int port) throws UnknownHostException {
    return new InetSocketAddress(InetAddress.getByName(variable("LAB_ADDRESS")), port);
  }

  static InetSocketAddress ipv6(int port) throws UnknownHostException {
    return new InetSocketAddress(InetAddress.getByName(variable("LAB_ADDRESS6")), port);
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
