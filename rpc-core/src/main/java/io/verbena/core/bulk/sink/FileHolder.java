package io.verbena.core.bulk.sink;

import io.verbena.api.RpcStatus;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.link.memory.Waiters;
import java.util.function.Consumer;

/**
 * The transfer that has a file, as others to the same file meet it: it gives way where its session
 * has no link, since whoever sent it may have been started again.
 */
public final class FileHolder {
  private final BulkHost host;
  private final Waiters others = new Waiters(() -> 0);
  private volatile Consumer<Throwable> broken = failure -> {};

  public FileHolder(BulkHost host) {
    this.host = host;
  }

  /** Who is to be told, on the loop, that it has to end. */
  public void belongsTo(Consumer<Throwable> broken) {
    this.broken = broken;
  }

  /** Returns the other end of its transfer, in words. Safe for any thread. */
  String peer() {
    String address = host.peer().address();
    return address.isEmpty() ? "a peer that is not connected yet" : address;
  }

  /** Returns those who wait for the file. Safe for any thread. */
  public Waiters others() {
    return others;
  }

  /** Ends the transfer if its session has no link; returns whether so. Safe for any thread. */
  boolean givesWay() {
    if (host.hasLink()) {
      return false;
    }
    host.loop().execute(this::giveWay);
    return true;
  }

  private void giveWay() {
    if (!host.hasLink()) {
      broken.accept(
          new TransferProblem(
              RpcStatus.UNAVAILABLE,
              "another transfer to the same file began while its session had no link"));
    }
  }
}
