package io.verbena.bench.usage;

import io.verbena.cli.Version;
import java.util.Map;

/** The versions of what takes part, as the build wrote them down. */
public final class Versions {
  private Versions() {}

  /** Returns this program's version. */
  public static String verbena() {
    return read().getOrDefault("verbena", "unknown");
  }

  /** Returns each version by its library's name. */
  public static Map<String, String> read() {
    return Version.written(Versions.class, "/versions.properties");
  }
}
