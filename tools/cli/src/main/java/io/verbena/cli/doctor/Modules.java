package io.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The modules of the kernel, and the cure for missing ones. */
final class Modules {
  /** The modules that verbs need for any device. Each module builds on those before it. */
  private static final List<String> CORE = List.of("ib_core", "ib_uverbs", "rdma_cm", "rdma_ucm");

  /** Drivers of devices that can carry RPC. Drivers of software devices come first. */
  private static final List<String> DRIVERS =
      List.of(
          "rdma_rxe",
          "siw",
          "mlx5_ib",
          "mlx4_ib",
          "irdma",
          "i40iw",
          "bnxt_re",
          "iw_cxgb4",
          "qedr",
          "hns_roce_hw_v2",
          "erdma",
          "mana_ib",
          "efa",
          "hfi1",
          "ocrdma",
          "vmw_pvrdma",
          "ionic_rdma");

  private static final String SOFT_ROCE = "rdma_rxe";

  enum State {
    LOADED,
    /** Part of the kernel. */
    BUILT_IN,
    /** On the disk. */
    LOADABLE,
    ABSENT
  }

  private final Host host;
  private final Container container;
  private final String release;

  Modules(Host host, Container container) {
    this.host = host;
    this.container = container;
    this.release = host.text("/proc/sys/kernel/osrelease").orElse("unknown");
  }

  State state(String module) {
    if (host.exists("/sys/module/" + module)) {
      return State.LOADED;
    }
    // Built-in modules are in /sys/module only if they have parameters.
    if (isListed("modules.builtin", module)) {
      return State.BUILT_IN;
    }
    return isListed("modules.dep", module) ? State.LOADABLE : State.ABSENT;
  }

  private boolean isListed(String index, String module) {
    for (String line : host.lines("/lib/modules/" + release + "/" + index)) {
      String file = line.replaceFirst(":.*", "").replaceFirst(".*/", "");
      if (file.replaceFirst("\\.ko.*", "").replace('-', '_').equals(module)) {
        return true;
      }
    }
    return false;
  }

  Section section() {
    List<Finding> findings = new ArrayList<>();
    boolean working = host.exists("/dev/infiniband/rdma_cm");
    if (!working && CORE.stream().allMatch(module -> state(module) == State.ABSENT)) {
      String all = String.join(", ", CORE) + " are not in this kernel";
      findings.add(Finding.missing("RDMA", all, absentCure()));
    } else {
      CORE.forEach(module -> findings.add(core(module, working)));
    }
    findings.add(drivers());
    return new Section("Kernel " + release, findings);
  }

  private Finding drivers() {
    List<String> drivers = DRIVERS.stream().filter(this::isThere).toList();
    if (!drivers.isEmpty()) {
      return Finding.ok("drivers", String.join(", ", drivers));
    }
    return host.exists("/dev/infiniband/uverbs0")
        ? Finding.note("drivers", "not listed; the kernel has one, because a device is there")
        : Finding.missing("a driver", "none for any device", softDevice());
  }

  /** Returns whether the running kernel has the module. */
  boolean isThere(String module) {
    State state = state(module);
    return state == State.LOADED || state == State.BUILT_IN;
  }

  private Finding core(String module, boolean working) {
    State state = state(module);
    String detail = state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return switch (state) {
      case LOADED, BUILT_IN -> Finding.ok(module, detail);
      case LOADABLE ->
          Finding.missing(module, "not loaded", container.onTheHost("modprobe " + module));
      case ABSENT ->
          working
              ? Finding.note(
                  module, "not listed; the kernel has it, because its device file is there")
              : Finding.missing(module, "not in this kernel", absentCure());
    };
  }

  /** Returns the command that makes a software device. */
  String softDevice() {
    String add = "rdma link add rxe0 type rxe netdev " + networkDevice();
    return switch (state(SOFT_ROCE)) {
      case LOADED, BUILT_IN -> container.onTheHost(add);
      case LOADABLE -> container.onTheHost("modprobe rdma_rxe && " + add);
      case ABSENT -> absentCure();
    };
  }

  private String absentCure() {
    if (host.lines("/etc/os-release").contains("ID=ubuntu") && container == Container.NONE) {
      return "apt-get install linux-modules-extra-" + release;
    }
    return "none for this kernel; './verbena lab COMMAND' runs a command on a kernel that has them";
  }

  /** Returns the network device of the default route, else the first that is not the loopback. */
  private String networkDevice() {
    for (String line : host.lines("/proc/net/route")) {
      String[] fields = line.split("\\s+", -1);
      if (fields.length > 1 && fields[1].equals("00000000")) {
        return fields[0];
      }
    }
    return host.names("/sys/class/net").stream()
        .filter(name -> !name.equals("lo"))
        .findFirst()
        .orElse("eth0");
  }
}
