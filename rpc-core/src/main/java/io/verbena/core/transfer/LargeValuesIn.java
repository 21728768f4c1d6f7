package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;

/** The large values of a message, on their way here. On the loop. */
public final class LargeValuesIn {
  private final IncomingTransfer transfer;
  private final LargeValueDestination destination;

  LargeValuesIn(IncomingTransfer transfer, LargeValueDestination destination) {
    this.transfer = transfer;
    this.destination = destination;
  }

  /** Returns how many bytes have arrived. */
  public long arrived() {
    return transfer.confirmed();
  }

  /** Returns how many bytes of memory they hold without moving on; 0 while they wait for more. */
  public long takes() {
    return transfer.isOver() ? 0 : destination.takes();
  }

  /** Has them end. */
  public void fail(RpcStatus status, String why) {
    transfer.fail(status, why, null, true);
  }
}
