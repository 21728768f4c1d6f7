package io.verbena.bench.command;

import io.verbena.bench.usage.HostInfo;
import java.util.List;
import java.util.Objects;

/** Where a server on this host is called from this host. */
final class Addresses {
  private static final int DEFAULT_PORT = 7410;

  private Addresses() {}

  /** Returns the address of the verbs device where one is named, since loopback has none. */
  static String ofThisHost() {
    return Objects.requireNonNullElse(System.getenv("LAB_ADDRESS"), "127.0.0.1");
  }

  /** Returns an address as a user may type it, with the port of 'bench server' if it has none. */
  static String withPort(String typed) {
    boolean bareIpv6 = !typed.startsWith("[") && typed.indexOf(':') != typed.lastIndexOf(':');
    String host = bareIpv6 ? "[" + typed + "]" : typed;
    return host.lastIndexOf(':') > host.lastIndexOf(']') ? host : host + ":" + DEFAULT_PORT;
  }

  /** Returns the verbs device that is named, else the first that this host has, else none. */
  static String device() {
    List<String> devices = HostInfo.read().verbsDevices();
    String first = devices.isEmpty() ? "none" : devices.getFirst().split(" ", 2)[0];
    return Objects.requireNonNullElse(System.getenv("LAB_DEVICE"), first);
  }
}
