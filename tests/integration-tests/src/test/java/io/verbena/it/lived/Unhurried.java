package io.verbena.it.lived;

import io.verbena.core.VerbenaClient;
import java.time.Duration;

/** Clients of servers that somebody keeps busy or short of memory while sessions open. */
final class Unhurried {
  private Unhurried() {}

  /** Returns a client that gives a server half a minute to open a session. */
  static VerbenaClient.Builder client() {
    return VerbenaClient.builder().connectTimeout(Duration.ofSeconds(30));
  }
}
