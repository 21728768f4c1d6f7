package io.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/**
 * The kind of container that this process runs in. Cures differ in a container, because the kernel
 * and its modules belong to the host.
 */
enum Container {
  NONE("not in a container", ""),
  DOCKER(
      "Docker",
      "start it with 'docker run --device=/dev/infiniband --network=host --ulimit memlock=-1 …'"),
  PODMAN(
      "Podman",
      "start it with 'podman run --device=/dev/infiniband --network=host --ulimit memlock=-1 …'"),
  KUBERNETES(
      "Kubernetes",
      "request the resource of an RDMA device plugin in the pod's limits; see docs/rdma-setup.md"),
  OTHER(
      "a container",
      "give it /dev/infiniband, the network of the device, and a memlock limit; see docs/rdma-setup.md");

  /** A laboratory machine shows the files of its host, and the host may be a container. */
  private static final String LABORATORY = "\0LAB_NAME=";

  private final String words;

  /** The way to give the host's devices to the container; empty outside of containers. */
  final String cure;

  Container(String words, String cure) {
    this.words = words;
    this.cure = cure;
  }

  static Container of(Host host) {
    if (host.text("/proc/self/environ").orElse("").contains(LABORATORY)) {
      return NONE;
    }
    String groups =
        host.text("/proc/1/cgroup").orElse("") + host.text("/proc/self/cgroup").orElse("");
    if (host.exists("/var/run/secrets/kubernetes.io") || groups.contains("kubepods")) {
      return KUBERNETES;
    }
    if (host.exists("/run/.containerenv")) {
      return PODMAN;
    }
    if (host.exists("/.dockerenv") || groups.contains("/docker")) {
      return DOCKER;
    }
    return groups.contains("/lxc") ? OTHER : NONE;
  }

  /** Returns a command that must run on the host of the kernel. */
  String onTheHost(String command) {
    return this == NONE ? command : "on the host: " + command;
  }

  Section section(Host host) {
    List<Finding> findings = new ArrayList<>();
    findings.add(Finding.note("container", words));
    boolean hostHasDevices = !host.names("/sys/class/infiniband").isEmpty();
    if (this != NONE && hostHasDevices && host.names("/dev/infiniband").isEmpty()) {
      findings.add(
          Finding.missing("devices inside", "/dev/infiniband is not in the container", cure));
    }
    host.text("/sys/module/ib_core/parameters/netns_mode")
        .ifPresent(
            mode ->
                findings.add(
                    Finding.note(
                        "RDMA namespaces",
                        mode.equals("Y")
                            ? "shared: all namespaces see devices, but GIDs only the namespace of their network"
                            : "exclusive: a device belongs to one network namespace")));
    return new Section("Container", findings);
  }
}
