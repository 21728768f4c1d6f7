package io.verbena.cli.doctor;

import java.util.BitSet;

/**
 * The NUMA node of a device. Verbena binds no threads, so the processors of the whole process
 * decide on which nodes its loops and its memory are.
 */
final class NumaNode {
  private static final String NODES = "/sys/devices/system/node/";
  private static final int MAX_PROCESSORS = 1 << 16;

  private NumaNode() {}

  /** Compares the node of a device with the processors that this process may use. */
  static Finding finding(Host host, String device) {
    long nodes =
        numbers(host.text(NODES + "online").orElse("")).stream()
            .filter(node -> !numbers(processors(host, node)).isEmpty())
            .count();
    if (nodes < 2) {
      return Finding.note("NUMA", "one node on this host");
    }
    String node = host.text("/sys/class/infiniband/" + device + "/device/numa_node").orElse("");
    if (!node.matches("\\d{1,4}")) {
      return Finding.note(
          "NUMA", "node unknown" + (node.isEmpty() ? "" : ": numa_node is " + node));
    }
    String near = processors(host, Integer.parseInt(node));
    String used =
        host.lines("/proc/thread-self/status").stream()
            .filter(line -> line.startsWith("Cpus_allowed_list:"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElse("");
    String detail = "node %s, processors %s; this process may use %s".formatted(node, near, used);
    BitSet shared = numbers(near);
    shared.and(numbers(used));
    if (shared.isEmpty()) {
      return Finding.low("NUMA", detail, "numactl --cpunodebind=" + node + " --localalloc java …");
    }
    return shared.equals(numbers(used)) ? Finding.ok("NUMA", detail) : Finding.note("NUMA", detail);
  }

  private static String processors(Host host, int node) {
    return host.text(NODES + "node" + node + "/cpulist").orElse("");
  }

  /** Returns the numbers in a list of the kernel, such as {@code 0-3,8}; empty if malformed. */
  private static BitSet numbers(String list) {
    BitSet numbers = new BitSet();
    if (list.matches("\\d{1,5}(-\\d{1,5})?(,\\d{1,5}(-\\d{1,5})?)*")) {
      for (String part : list.split(",", -1)) {
        String[] ends = part.split("-", -1);
        int first = Integer.parseInt(ends[0]);
        int last = Integer.parseInt(ends[ends.length - 1]);
        if (first <= last && last < MAX_PROCESSORS) {
          numbers.set(first, last + 1);
        }
      }
    }
    return numbers;
  }
}
