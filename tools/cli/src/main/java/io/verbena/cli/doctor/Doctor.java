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
  private static final int FIRST_JDK = 25;

  /** The update of it that no longer moves pinned objects. */
  private static final int CURED_UPDATE = 3;

  /**
   * The findings, and the path that follows from them.
   *
   * @param usable the devices that a session can use
   */
  record Diagnosis(List<Section> sections, Prospect prospect, List<String> usable) {
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
    return new Diagnosis(List.copyOf(sections), Prospect.of(upgrades, devices), devices.usable());
  }

  private Section program() {
    return new Section(
        "Program",
        List.of(
            jdk(Runtime.version()),
            upgrades == null
                ? Finding.missing(
                    "RDMA link",
                    "not on the class path",
                    "add io.verbena:rpc-rdma and io.verbena:verbs-ffm to the class path")
                : Finding.ok("RDMA link", "on the class path, over " + verbs.name()),
            sharedMemory()));
  }

  /** Names the JDK, and a fault of its first updates (JDK-8377811). */
  static Finding jdk(Runtime.Version version) {
    String jdk =
        version + " on " + System.getProperty("os.name") + ", " + System.getProperty("os.arch");
    boolean movesPinned =
        version.feature() == FIRST_JDK && version.interim() == 0 && version.update() < CURED_UPDATE;
    return movesPinned
        ? Finding.low(
            "JDK",
            jdk
                + "; its G1 may move an object of the heap while native code holds it (JDK-8377811). Verbena hands none to native code; the JDK's zip and other libraries do",
            "update to JDK 25.0.%d or later, or run with another collector, such as -XX:+UseParallelGC"
                .formatted(CURED_UPDATE))
        : Finding.ok("JDK", jdk);
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
