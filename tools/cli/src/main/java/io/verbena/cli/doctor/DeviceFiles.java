package io.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/** The device files that give a program access to the kernel's RDMA. */
final class DeviceFiles {
  private static final String DIRECTORY = "/dev/infiniband";

  private final Host host;
  private final Container container;
  private final Modules modules;

  DeviceFiles(Host host, Container container, Modules modules) {
    this.host = host;
    this.container = container;
    this.modules = modules;
  }

  Section section() {
    List<Finding> findings = new ArrayList<>();
    findings.add(file("rdma_cm", "rdma_ucm"));
    List<String> verbs =
        host.names(DIRECTORY).stream().filter(name -> name.startsWith("uverbs")).toList();
    for (String name : verbs.isEmpty() ? List.of("uverbs0") : verbs) {
      findings.add(file(name, "ib_uverbs"));
    }
    return new Section("Device files in " + DIRECTORY, findings);
  }

  private Finding file(String name, String module) {
    String path = DIRECTORY + "/" + name;
    if (!host.exists(path)) {
      String detail = name.startsWith("uverbs") ? "not there; each device has one" : "not there";
      return Finding.missing(name, detail, absentCure(module));
    }
    return host.mayReadAndWrite(path)
        ? Finding.ok(name, "readable and writable")
        : Finding.missing(
            name,
            "not readable and writable for this user",
            container.onTheHost("chmod 666 " + path + " (rdma-core's udev rules do it at boot)"));
  }

  private String absentCure(String module) {
    if (!modules.isThere(module)) {
      return "needs the kernel module " + module + "; see Kernel";
    }
    return container == Container.NONE
        ? modules.softDevice() + ", if there is no device"
        : container.cure;
  }
}
