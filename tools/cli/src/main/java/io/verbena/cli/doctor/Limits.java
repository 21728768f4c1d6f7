package io.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The limits on this process's locked memory, which registered memory counts as, and on its memory.
 */
final class Limits {
  /** The first session registers a slab of 1 MiB to send from and one to receive into. */
  static final long NEEDED_BYTES = 2L << 20;

  /** The most that the RDMA link registers by default ({@code maxPinnedBytes}). */
  static final long WANTED_BYTES = 512L << 20;

  private static final String LOCKED = "Max locked memory";
  private static final int CAP_IPC_LOCK = 14;
  private static final String ALL_USERS = "\\s*0\\s+0\\s+4294967295";

  private final Host host;
  private final Container container;

  Limits(Host host, Container container) {
    this.host = host;
    this.container = container;
  }

  Section section() {
    List<Finding> findings = new ArrayList<>();
    findings.add(lockedMemory());
    ControlGroups groups = new ControlGroups(host);
    findings.add(memory(groups.memoryBytes()));
    for (String limit : groups.rdma()) {
      findings.add(rdma(limit));
    }
    return new Section("Limits", findings);
  }

  private Finding lockedMemory() {
    String what = "locked memory";
    String limit = softLimit();
    if (limit.equals("unlimited")) {
      return Finding.ok(what, limit);
    }
    if (!limit.matches("\\d{1,18}")) {
      return Finding.note(what, "/proc/self/limits does not contain it");
    }
    long bytes = Long.parseLong(limit);
    String detail = inWords(bytes) + " (ulimit -l " + (bytes >> 10) + ")";
    if (mayLockAnything()) {
      return Finding.ok(
          what, detail + ", which does not apply, because this process has CAP_IPC_LOCK");
    }
    if (bytes < NEEDED_BYTES) {
      return Finding.missing(
          what, detail + "; one session needs " + inWords(NEEDED_BYTES), lockedMemoryCure());
    }
    return bytes < WANTED_BYTES
        ? Finding.low(
            what,
            detail + "; a busy server uses up to " + inWords(WANTED_BYTES),
            lockedMemoryCure())
        : Finding.ok(what, detail);
  }

  /** Returns the limit in bytes, or the word unlimited; empty if the kernel does not show it. */
  private String softLimit() {
    return host.lines("/proc/self/limits").stream()
        .filter(line -> line.startsWith(LOCKED))
        .map(line -> line.substring(LOCKED.length()).strip().replaceFirst("\\s.*", ""))
        .findFirst()
        .orElse("");
  }

  /** The kernel requires the capability in the first user namespace; others do not count. */
  private boolean mayLockAnything() {
    boolean firstNamespace =
        host.text("/proc/self/uid_map").map(map -> map.matches(ALL_USERS)).orElse(true);
    return firstNamespace && hasIpcLockIn("CapEff:");
  }

  /** Checks the effective set of capabilities, or the bounding set. */
  private boolean hasIpcLockIn(String set) {
    return host.lines("/proc/self/status").stream()
        .filter(line -> line.startsWith(set))
        .map(line -> Long.parseUnsignedLong(line.substring(set.length()).strip(), 16))
        .anyMatch(capabilities -> (capabilities >> CAP_IPC_LOCK & 1) == 1);
  }

  private String lockedMemoryCure() {
    return switch (container) {
      case NONE ->
          "ulimit -l unlimited (as root, or with a memlock line in /etc/security/limits.d),"
              + " or LimitMEMLOCK=infinity in the systemd unit";
      case DOCKER, PODMAN -> "start the container with --ulimit memlock=-1";
      case KUBERNETES ->
          "on the node: LimitMEMLOCK=infinity in the unit of the container runtime (containerd,"
              + " crio), and restart it; "
              + (hasIpcLockIn("CapBnd:")
                  ? "IPC_LOCK was added to the container, but has no effect, because this process is not root"
                  : "IPC_LOCK only helps a container that runs as root");
      case OTHER -> "raise the container's memlock limit";
    };
  }

  private static Finding memory(Optional<Long> bytes) {
    return bytes
        .map(
            limit ->
                Finding.note("cgroup memory", inWords(limit) + ", including registered memory"))
        .orElse(Finding.ok("cgroup memory", "no limit"));
  }

  private static Finding rdma(String limit) {
    boolean none = limit.matches(".*=0\\b.*");
    return none
        ? Finding.missing(
            "cgroup rdma",
            limit,
            "raise it in the group's rdma.max: 'DEVICE hca_handle=max hca_object=max'")
        : Finding.note("cgroup rdma", limit + "; each queue pair, region and window is an object");
  }

  static String inWords(long bytes) {
    if (bytes >= 1L << 30 && bytes % (1L << 30) == 0) {
      return (bytes >> 30) + " GiB";
    }
    return bytes >= 1L << 20 ? (bytes >> 20) + " MiB" : (bytes >> 10) + " KiB";
  }
}
