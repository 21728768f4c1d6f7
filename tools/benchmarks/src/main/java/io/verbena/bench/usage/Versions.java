package io.verbena.bench.usage;

import io.verbena.cli.Version;
import java.util.Map;

/** The versions of the contestants, which the build wrote into a file. */
public final class Versions {
  private Versions() {}

  public static String verbena() {
    return read().getOrDefault("verbena", "unknown");
  }

  /** Returns the versions by the names of the libraries. */
  public static Map<String, String> read() {
    return Version.written(Versions.class, "/versions.properties");
  }
}
