package io.verbena.bench.counts;

import io.verbena.bench.verbena.ForwardingUpgrades;
import io.verbena.link.LinkDriver.ConnectHandler;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;

/** Links that sessions upgrade to, counted, of one end. */
final class TalliedUpgrades extends ForwardingUpgrades {
  private final LinkTally tally;

  TalliedUpgrades(UpgradeProvider real, LinkTally tally) {
    super(real);
    this.tally = tally;
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    return new Driver(real.newDriver(wakeLoop)) {
      @Override
      protected ConnectHandler watched(ConnectHandler handler) {
        return TalliedLink.tallied(handler, tally);
      }
    };
  }
}
