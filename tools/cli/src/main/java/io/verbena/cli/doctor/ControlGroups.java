package io.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The limits of this process's control groups, of version 1 and 2. */
final class ControlGroups {
  private static final String ROOT = "/sys/fs/cgroup";

  private final Host host;

  ControlGroups(Host host) {
    this.host = host;
  }

  /** Returns the lowest memory limit of the group and its parents, in bytes; empty for none. */
  Optional<Long> memoryBytes() {
    return Optional.ofNullable(
            directories("memory").stream()
                .flatMap(
                    directory ->
                        host
                            .text(directory + "/memory.max")
                            .or(() -> host.text(directory + "/memory.limit_in_bytes"))
                            .stream())
                .filter(limit -> limit.matches("\\d{1,18}"))
                .map(Long::parseLong)
                .min(Long::compare)
                .orElse(null))
        .filter(bytes -> bytes < Long.MAX_VALUE / 4);
  }

  /**
   * Returns lines such as {@code mlx5_0 hca_handle=2 hca_object=2000}, one for each limited device.
   */
  List<String> rdma() {
    return directories("rdma").stream()
        .flatMap(directory -> host.lines(directory + "/rdma.max").stream())
        .filter(line -> line.matches(".*=\\d+.*"))
        .distinct()
        .toList();
  }

  /** Returns the directories of the group and its parents, of the version with the controller. */
  private List<String> directories(String controller) {
    List<String> directories = new ArrayList<>();
    for (String line : host.lines("/proc/self/cgroup")) {
      String[] fields = line.split(":", 3);
      if (fields.length == 3 && fields[1].isEmpty()) {
        addUpwards(ROOT, fields[2], directories);
      } else if (fields.length == 3 && List.of(fields[1].split(",")).contains(controller)) {
        addUpwards(ROOT + "/" + controller, fields[2], directories);
      }
    }
    return directories;
  }

  private static void addUpwards(String root, String group, List<String> directories) {
    String at = group.equals("/") ? "" : group;
    while (true) {
      directories.add(root + at);
      if (at.isEmpty()) {
        return;
      }
      at = at.substring(0, Math.max(0, at.lastIndexOf('/')));
    }
  }
}
