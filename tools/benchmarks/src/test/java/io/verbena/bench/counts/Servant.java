package io.verbena.bench.counts;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;

/** The server's side: answers at once, and lets go of what is pushed. For one event loop. */
final class Servant implements Counted, PushHandler {
  private volatile int dropped;

  /** Returns how many one-way calls have come. Safe for any thread. */
  int dropped() {
    return dropped;
  }

  @Override
  public byte[] echo(byte[] message) {
    return message;
  }

  @Override
  public int take(byte[] message) {
    return message.length;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // the loop's thread alone writes it
  public void drop(byte[] message) {
    dropped++;
  }

  @Override
  public Landing offered(Offer offer) {
    return Landing.pooled(offer.length());
  }

  @Override
  public boolean nonBlocking() {
    return true;
  }
}
