package io.verbena.rdma;

import io.verbena.link.UpgradeProvider;

/** A provider that has another do everything but make its drivers. */
interface ForwardingProvider extends UpgradeProvider {
  /** Returns the other one. */
  UpgradeProvider provider();

  @Override
  default String kind() {
    return provider().kind();
  }

  @Override
  default Availability availability() {
    return provider().availability();
  }
}
