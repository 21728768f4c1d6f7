package io.verbena.cli.doctor;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.rdma.DeviceAddress;
import io.verbena.rdma.DeviceAddresses;
import io.verbena.rdma.DeviceChoice;
import io.verbena.rdma.RdmaFailureText;
import io.verbena.rdma.RdmaSettings;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The verbs devices. A provider opens them as the RDMA link does; files alone are not enough. */
final class Devices {
  private final Host host;
  private final Modules modules;
  private final VerbsProvider verbs;
  private final DeviceChoice choice;
  private final List<Finding> findings = new ArrayList<>();
  private final List<String> usable = new ArrayList<>();
  private String obstacle = "no verbs device on this host";

  Devices(Host host, Modules modules, VerbsProvider verbs, RdmaSettings settings) {
    this.host = host;
    this.modules = modules;
    this.verbs = verbs;
    this.choice = settings.device();
  }

  /**
   * The devices of this host.
   *
   * @param usable the names of the devices that a session can use
   * @param obstacle the reason why no device is usable; meaningful only if {@code usable} is empty
   */
  record Found(Section section, List<String> usable, String obstacle) {}

  Found look() {
    Optional<VerbsException> problem = verbs.problem();
    if (problem.isPresent()) {
      VerbsException failure = problem.get();
      obstacle = String.valueOf(failure.getMessage());
      if (failure.errno() == Errno.ENODEV) {
        String detail = failure.call() + ": " + Errno.name(failure.errno());
        findings.add(Finding.missing("a device", detail, modules.softDevice()));
      } else {
        findings.add(Finding.missing("the devices", "cannot be examined", failure.cure()));
      }
    } else {
      lookAtAll();
    }
    return new Found(new Section("Verbs devices", findings), List.copyOf(usable), obstacle);
  }

  private void lookAtAll() {
    List<String> opened = new ArrayList<>();
    try {
      List<DeviceAddress> addresses = DeviceAddresses.of(verbs, choice);
      for (IbvContext context : verbs.devices()) {
        VerbsContext device = VerbsContext.of(context);
        opened.add(device.deviceName());
        lookAt(context, device, addresses);
      }
      if (!choice.equals(DeviceChoice.ANY) && addresses.stream().noneMatch(DeviceAddress::isUsed)) {
        obstacle = DeviceAddresses.problem(verbs, choice, addresses);
        findings.add(
            Finding.missing(
                "the choice",
                obstacle,
                "correct " + RdmaSettings.DEVICE_PROPERTY + " or " + RdmaSettings.DEVICE_VARIABLE));
      }
    } catch (Throwable thrown) { // every exception of a provider is a finding
      obstacle = RdmaFailureText.of(thrown);
      findings.add(Finding.missing("the devices", "cannot be examined", obstacle));
    }
    for (String name : host.names("/sys/class/infiniband")) {
      if (!opened.contains(name)) {
        findings.add(
            Finding.missing(
                name,
                "the kernel has it, but libibverbs does not open it",
                "apt-get install ibverbs-providers, or dnf install rdma-core"));
      }
    }
  }

  private void lookAt(IbvContext context, VerbsContext device, List<DeviceAddress> addresses)
      throws IOException {
    String name = device.deviceName();
    DeviceAttributes attributes = device.queryDevice();
    boolean carries = false;
    findings.add(Finding.ok(name, describe(attributes)));
    findings.add(Adapter.finding(device.driver(), attributes.transport()));
    findings.add(NumaNode.finding(host, name));
    for (int number = 1; number <= attributes.ports(); number++) {
      PortAttributes port = device.queryPort(number);
      int ofPort = number;
      DevicePort facts =
          new DevicePort(
              host,
              device,
              number,
              port,
              attributes.transport(),
              addresses.stream()
                  .filter(one -> one.device().equals(name) && one.port() == ofPort)
                  .toList(),
              addresses.stream().filter(DeviceAddress::isUsed).findFirst().orElse(null),
              addresses.stream().anyMatch(one -> one.isUsed() && one.device().isEmpty()));
      findings.addAll(facts.findings());
      carries |= facts.carriesSessions();
    }
    Optional<String> refused = Registration.problem(context, Limits.NEEDED_BYTES);
    findings.add(
        refused
            .map(why -> Finding.missing(name, why, "raise the limit of locked memory; see Limits"))
            .orElse(
                Finding.ok(
                    name, "registered " + Limits.inWords(Limits.NEEDED_BYTES) + " as a test")));
    if (carries && refused.isEmpty() && choice.objectionTo(name, 0).isEmpty()) {
      usable.add(name);
    } else {
      obstacle = refused.orElse(name + " has no active port with an address");
    }
  }

  private static String describe(DeviceAttributes device) {
    List<String> can = new ArrayList<>();
    if (device.hasWriteWithImmediate()) {
      can.add("write with immediate");
    }
    if (device.hasTypeTwoWindows()) {
      can.add("memory windows");
    }
    if (device.hasSrq()) {
      can.add("shared receive queues");
    }
    String transport =
        switch (device.transport()) {
          case INFINIBAND -> "InfiniBand verbs";
          case IWARP -> "iWARP";
          case OTHER -> "neither InfiniBand verbs nor iWARP";
        };
    String firmware = device.firmware().isBlank() ? "" : ", firmware " + device.firmware();
    return transport
        + firmware
        + "; has "
        + (can.isEmpty() ? "only Send and WRITE" : String.join(", ", can));
  }
}
