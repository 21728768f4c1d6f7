package io.verbena.bench.usage;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The versions of what takes part, as the build wrote them down. */
public final class Versions {
  private Versions() {}

  /** Returns this program's version. */
  public static String verbena() {
    return read().getOrDefault("verbena", "unknown");
  }

  /** Returns each version by its library's name. */
  public static Map<String, String> read() {
    Properties properties = new Properties();
    try (InputStream in = Versions.class.getResourceAsStream("/versions.properties")) {
      if (in == null) {
        throw new IllegalStateException("versions.properties is not in the jar");
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> versions = new TreeMap<>();
    properties.forEach((name, version) -> versions.put((String) name, (String) version));
    return versions;
  }
}
