package io.verbena.bench.command;

import io.verbena.bench.usage.HostInfo;
import java.util.List;
import java.util.Objects;

/** Addresses of servers. */
final class Addresses {
  private static final int DEFAULT_PORT = 7410;

  private Addresses() {}

  /** Returns the address of the chosen verbs device, else loopback, which has no device. */
  static String ofThisHost() {
    return Objects.requireNonNullElse(System.getenv("LAB_ADDRESS"), "127.0.0.1");
  }

  /** Adds the port of 'bench server' to an address of the user, if it has none. */
  static String withPort(String typed) {
    boolean bareIpv6 = !typed.startsWith("[") && typed.indexOf(':') != typed.lastIndexOf(':');
    String host = bareIpv6 ? "[" + typed + "]" : typed;
    return host.lastIndexOf(':') > host.lastIndexOf(']') ? host : host + ":" + DEFAULT_PORT;
  }

  /** Returns the chosen verbs device, else the first device of this host, else none. */
  static String device() {
    List<String> devices = HostInfo.read().verbsDevices();
    String first = devices.isEmpty() ? "none" : devices.getFirst().split(" ", 2)[0];
    return Objects.requireNonNullElse(System.getenv("LAB_DEVICE"), first);
  }
}
