package io.verbena.cli.doctor;

import io.verbena.link.UpgradeProvider;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.rdma.RdmaSettings;
import io.verbena.shm.ShmUpgradeProvider;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Examines one machine.
 *
 * @param host the machine's files
 * @param loads returns whether the dynamic linker finds a library
 * @param verbs the machine's devices
 * @param upgrades the RDMA link of this program; null if it has none
 * @param settings the settings of RDMA links
 */
record Doctor(
    Host host,
    Predicate<String> loads,
    VerbsProvider verbs,
    @Nullable UpgradeProvider upgrades,
    RdmaSettings settings) {

  /** The findings, and the path that follows from them. */
  record Diagnosis(List<Section> sections, Prospect prospect) {
    void print(PrintWriter out) {
      Set<String> told = new HashSet<>();
      for (Section section : sections) {
        section.without(told).print(out);
        out.println();
      }
    }
  }

  Diagnosis examine() {
    Container container = Container.of(host);
    Modules modules = new Modules(host, container);
    List<Section> sections = new ArrayList<>();
    sections.add(program());
    sections.add(new Libraries(host, loads).section());
    sections.add(modules.section());
    sections.add(new DeviceFiles(host, container, modules).section());
    Devices.Found devices = new Devices(host, modules, verbs, settings).look();
    sections.add(devices.section());
    sections.add(new Limits(host, container).section());
    sections.add(container.section(host));
    return new Diagnosis(List.copyOf(sections), Prospect.of(upgrades, devices));
  }

  private Section program() {
    String jdk =
        Runtime.version()
            + " on "
            + System.getProperty("os.name")
            + ", "
            + System.getProperty("os.arch");
    return new Section(
        "Program",
        List.of(
            Finding.ok("JDK", jdk),
            upgrades == null
                ? Finding.missing(
                    "RDMA link",
                    "not on the class path",
                    "add io.verbena:rpc-rdma and io.verbena:verbs-ffm to the class path")
                : Finding.ok("RDMA link", "on the class path, over " + verbs.name()),
            sharedMemory()));
  }

  /** Examines shared memory, which sessions on this host prefer to RDMA. */
  static Finding sharedMemory() {
    UpgradeProvider shm = new ShmUpgradeProvider();
    return switch (shm.availability()) {
      case Availability.Available there ->
          Finding.ok(
              "shared memory", "in " + there.detail() + ", for processes of this host and user");
      case Availability.Unavailable none -> Finding.note("shared memory", none.reason());
    };
  }
}
