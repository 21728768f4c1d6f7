package io.verbena.bench.usage;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The properties of a host and a JVM that figures depend on. */
public record HostInfo(
    String kernel,
    String processor,
    int processors,
    long memoryBytes,
    String jvm,
    List<String> jvmArguments,
    String memlock,
    List<String> verbsDevices,
    List<String> networkDevices) {

  /** Returns the properties of this process. */
  public static HostInfo read() {
    Runtime.Version version = Runtime.version();
    return new HostInfo(
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        field(Path.of("/proc/cpuinfo"), "model name"),
        Runtime.getRuntime().availableProcessors(),
        kibibytes(field(Path.of("/proc/meminfo"), "MemTotal")),
        System.getProperty("java.vm.name") + " " + version,
        java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments(),
        field(Path.of("/proc/self/limits"), "Max locked memory")
            .replaceFirst(" {2,}", " / ")
            .replaceAll(" {2,}", " "),
        withPorts(Path.of("/sys/class/infiniband")),
        withMtu(Path.of("/sys/class/net")));
  }

  private static long kibibytes(String field) {
    String digits = field.replaceAll("\\D", "");
    return digits.isEmpty() ? 0 : Long.parseLong(digits) * 1024;
  }

  private static String field(Path file, String name) {
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(name)) {
          return line.substring(name.length()).replaceFirst("^[\\s:]+", "").strip();
        }
      }
    } catch (IOException e) {
      return "unknown: " + e.getMessage();
    }
    return "unknown";
  }

  private static List<String> names(Path directory) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
    } catch (IOException e) {
      return List.of(); // the kernel has no such devices
    }
    return names.stream().sorted().toList();
  }

  /** Describes devices by their first ports. A device's MTU follows from its network device. */
  private static List<String> withPorts(Path devices) {
    return names(devices).stream()
        .map(
            name -> {
              Path port = devices.resolve(name).resolve("ports/1");
              return "%s on %s, %s, %s"
                  .formatted(
                      name,
                      firstLine(port.resolve("gid_attrs/ndevs/0")),
                      firstLine(port.resolve("state")).replaceFirst("^\\d+: ", ""),
                      firstLine(port.resolve("rate")));
            })
        .toList();
  }

  private static List<String> withMtu(Path devices) {
    return names(devices).stream()
        .map(name -> name + " mtu " + firstLine(devices.resolve(name).resolve("mtu")))
        .toList();
  }

  private static String firstLine(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
