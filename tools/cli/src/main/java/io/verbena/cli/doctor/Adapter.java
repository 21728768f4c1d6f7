package io.verbena.cli.doctor;

import io.verbena.verbs.ext.DeviceAttributes.Transport;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What Verbena uses of an adapter, by the driver of its bus: a row of the table of
 * docs/rdma-setup.md. The source is rdma-core at 691953d8d (August 2026) and Linux's drivers;
 * {@code Personality} of verbs-fabric has files and details.
 */
@SuppressWarnings("ImmutableEnumChecker") // its collections are copies
enum Adapter {
  MLX5(
      List.of("mlx5_core"),
      "NVIDIA ConnectX-4 to -10, BlueField",
      "windows, shared receives, immediates, inline, READ",
      "nothing",
      "personality"),
  MLX4(
      List.of("mlx4_core"),
      "ConnectX-3",
      "immediates, inline, READ",
      "no windows: a registration for each transfer, receives for each link",
      "personality"),
  BNXT(
      List.of("bnxt_en"),
      "Broadcom 574xx to 576xx (bnxt_re)",
      "immediates, inline up to 96 bytes, READ",
      "no windows: as ConnectX-3",
      "personality"),
  IRDMA(
      List.of("ice", "i40e", "idpf"),
      "Intel E810, E830, X722, IPU (irdma)",
      "inline up to 101 bytes (X722 48); as RoCE immediates and READ; windows and shared receives"
          + " from the third generation on, and inline up to 216 bytes",
      "a dead path is found within 4.4 s, not 1.07 s; no windows before the third generation",
      "personality"),
  HNS(
      List.of("hns3"),
      "HiSilicon Kunpeng (hns_roce)",
      "immediates, inline, READ",
      "no windows: as ConnectX-3",
      "personality"),
  QEDR(
      List.of("qede"),
      "Marvell QL41xxx, QL45xxx (qedr)",
      "as RoCE immediates, inline, READ",
      "no windows: as ConnectX-3; as iWARP also no immediates and no READ",
      "personality"),
  ERDMA(
      List.of("erdma"),
      "Alibaba elastic RDMA",
      "immediates, inline up to 96 bytes; READ as RoCE alone",
      "no windows: as ConnectX-3",
      "personality"),
  MANA(
      List.of("mana"),
      "Microsoft Azure (mana_ib)",
      "immediates, READ",
      "no windows: as ConnectX-3; no inline",
      "personality"),
  IONIC(
      List.of("ionic"),
      "AMD Pensando",
      "windows, immediates, inline, READ",
      "receives for each link",
      "personality"),
  CXGB4(
      List.of("cxgb4"),
      "Chelsio T5, T6 (iw_cxgb4)",
      "inline",
      "iWARP: no immediates, no READ; no windows: as ConnectX-3",
      "personality"),
  EFA(
      List.of("efa"),
      "AWS EFA",
      "nothing",
      "sessions stay on TCP: no reliable connections",
      "personality"),
  PVRDMA(
      List.of("vmw_pvrdma"),
      "VMware PVRDMA",
      "immediates, READ",
      "no windows: as ConnectX-3; no inline",
      "personality"),
  OCRDMA(
      List.of("be2net"),
      "Emulex OneConnect (ocrdma)",
      "immediates, inline, READ",
      "no windows: as ConnectX-3",
      "personality"),
  HFI1(
      List.of("hfi1"),
      "Omni-Path (hfi1)",
      "immediates, READ",
      "no windows: as ConnectX-3; no inline",
      "personality"),
  RXE(
      List.of("rdma_rxe"),
      "Soft-RoCE",
      "windows, shared receives, immediates, inline, READ",
      "windows over registrations of their own",
      "device"),
  SIW(
      List.of("siw"),
      "Soft-iWARP",
      "inline",
      "iWARP: no immediates, no READ; no windows: as ConnectX-3",
      "device");

  private final List<String> drivers;
  private final String adapters;
  private final String used;
  private final String degrades;
  private final String tested;

  Adapter(List<String> drivers, String adapters, String used, String degrades, String tested) {
    this.drivers = drivers;
    this.adapters = adapters;
    this.used = used;
    this.degrades = degrades;
    this.tested = tested;
  }

  /** Returns the adapter of a driver; empty for one that nobody has looked at. */
  static Optional<Adapter> of(String driver) {
    return Arrays.stream(values()).filter(one -> one.drivers.contains(driver)).findFirst();
  }

  /** Returns the row of the page. */
  String row() {
    return "| %s | `%s` | %s | %s | %s |"
        .formatted(adapters, String.join("`, `", drivers), used, degrades, tested);
  }

  /** Returns what doctor says of a device. */
  static Finding finding(String driver, Transport transport) {
    String what = "adapter";
    if (driver.isEmpty()) {
      return Finding.note(what, "its driver is not known");
    }
    String network = transport == Transport.IWARP ? ", here as iWARP" : "";
    return of(driver)
        .map(
            one ->
                Finding.note(
                    what,
                    "%s, driver %s%s; used: %s; degraded: %s; tested: %s"
                        .formatted(
                            one.adapters, driver, network, one.used, one.degrades, one.tested)))
        .orElseGet(
            () ->
                Finding.note(
                    what,
                    "driver "
                        + driver
                        + network
                        + ", which nobody has reported on yet; please do, with the file that 'verbena doctor"
                        + " --try --report FILE' writes"));
  }
}
