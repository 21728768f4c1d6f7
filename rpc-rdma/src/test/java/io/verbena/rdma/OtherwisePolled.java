package io.verbena.rdma;

import io.verbena.link.UpgradeDriver;
import java.util.function.LongToIntFunction;

/**
 * A driver of which a test decides how it is polled.
 *
 * @param poll from the time that the loop gives, does what {@link UpgradeDriver#poll} does
 */
record OtherwisePolled(UpgradeDriver driver, LongToIntFunction poll) implements ForwardingDriver {
  @Override
  public int poll(long nowNanos) {
    return poll.applyAsInt(nowNanos);
  }
}
