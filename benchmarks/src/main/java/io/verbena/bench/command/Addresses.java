package io.verbena.bench.command;

import java.util.Objects;

/** Where a server on this host is called from this host. */
final class Addresses {
  private Addresses() {}

  /** Returns the address of the verbs device where one is named, since loopback has none. */
  static String ofThisHost() {
    return Objects.requireNonNullElse(System.getenv("LAB_ADDRESS"), "127.0.0.1");
  }
}
