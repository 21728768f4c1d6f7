package io.verbena.cli.doctor;

import io.verbena.link.UpgradeProvider;
import io.verbena.link.UpgradeProvider.Availability;
import org.jspecify.annotations.Nullable;

/**
 * The path that a session from this machine would get.
 *
 * @param rdma whether the path can be RDMA
 * @param reason the usable devices, or the reason for TCP
 */
record Prospect(boolean rdma, String reason) {
  /** Checks the parts in the order in which a session needs them. */
  static Prospect of(@Nullable UpgradeProvider upgrades, Devices.Found devices) {
    if (upgrades == null) {
      return new Prospect(false, "no RDMA link on the class path");
    }
    return switch (upgrades.availability()) {
      case Availability.Unavailable none -> new Prospect(false, none.reason());
      case Availability.Available _ ->
          devices.usable().isEmpty()
              ? new Prospect(false, devices.obstacle())
              : new Prospect(true, String.join(", ", devices.usable()));
    };
  }

  @Override
  public String toString() {
    return rdma
        ? "path: rdma (" + reason + "), if the other end has it too"
        : "path: tcp (" + reason + ")";
  }
}
