package io.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/**
 * Which kind of container this is, since cures differ there: the kernel and its modules are the
 * host's.
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
      "ask for the resource of an RDMA device plugin in the pod's limits; see docs/rdma-setup.md"),
  OTHER(
      "a container",
      "give it /dev/infiniband, the network of the device, and a memlock limit; see docs/rdma-setup.md");

  /** A laboratory machine shows the files of its host, which may be a container's. */
  private static final String LABORATORY = "\0LAB_NAME=";

  private final String words;

  /** How it gets at the host's devices; empty outside of containers. */
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

  /** A command that must run where the kernel is administered. */
  String onTheHost(String command) {
    return this == NONE ? command : "on the host: " + command;
  }

  Section section(Host host) {
    List<Finding> findings = new ArrayList<>();
    findings.add(Finding.note("container", words));
    boolean hostHasDevices = !host.names("/sys/class/infiniband").isEmpty();
    if (this != NONE && hostHasDevices && host.names("/dev/infiniband").isEmpty()) {
      findings.add(Finding.missing("devices inside", "/dev/infiniband was not given to it", cure));
    }
    host.text("/sys/module/ib_core/parameters/netns_mode")
        .ifPresent(
            mode ->
                findings.add(
                    Finding.note(
                        "RDMA namespaces",
                        mode.equals("Y")
                            ? "shared: devices are seen everywhere, GIDs only with their network"
                            : "exclusive: a device belongs to one network namespace")));
    return new Section("Container", findings);
  }
}
