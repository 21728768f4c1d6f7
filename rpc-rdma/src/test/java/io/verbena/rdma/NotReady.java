package io.verbena.rdma;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The device's own counters of receivers that were not ready (RNR). */
final class NotReady {
  private NotReady() {}

  /** Returns them by name; empty where the device keeps none. */
  static Map<String, Long> counters() throws IOException {
    Path folder =
        Path.of(
            "/sys/class/infiniband",
            DeviceLinkHarness.variable("LAB_DEVICE"),
            "ports/1/hw_counters");
    Map<String, Long> found = new TreeMap<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> all = Files.list(folder)) {
        for (Path counter : all.toList()) {
          String name = counter.getFileName().toString();
          if (name.contains("rnr")) {
            found.put(name, count(counter));
          }
        }
      }
    }
    return found;
  }

  private static long count(Path counter) throws IOException {
    List<String> lines = Files.readAllLines(counter);
    return lines.isEmpty() ? 0 : Long.parseLong(lines.getFirst().strip());
  }
}
