package io.verbena.mem;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the two ends of one link share: a ring each way, and what a test has done to it. Safe for
 * use by any thread.
 */
final class Circuit {
  final InMemoryNetwork network;
  final String name;
  final long id;
  final FrameRing toServer;
  final FrameRing toClient;
  final InMemoryDriver client;
  private volatile InMemoryDriver server;

  /** Taken by the one end that settles whether there is a link: accepting, or giving up. */
  private final AtomicBoolean settled = new AtomicBoolean();

  private final AtomicInteger openEnds = new AtomicInteger(2);
  private volatile boolean stalled;
  private volatile @Nullable String dropped;

  Circuit(
      InMemoryNetwork network,
      String name,
      long id,
      int ringFrames,
      InMemoryDriver client,
      InMemoryDriver server) {
    this.network = network;
    this.name = name;
    this.id = id;
    this.toServer = new FrameRing(ringFrames);
    this.toClient = new FrameRing(ringFrames);
    this.client = client;
    this.server = server;
  }

  /** Returns what steps the server's end now. */
  InMemoryDriver server() {
    return server;
  }

  /** Another driver steps the server's end from now on. */
  void serverMoves(InMemoryDriver to) {
    server = to;
  }

  /** Returns true for the first to call it. */
  boolean settle() {
    return settled.compareAndSet(false, true);
  }

  void endClosed() {
    if (openEnds.decrementAndGet() == 0) {
      forget();
    }
  }

  void forget() {
    network.ended(this);
  }

  boolean stalled() {
    return stalled;
  }

  void stall(boolean stalled) {
    this.stalled = stalled;
    signalBoth();
  }

  @Nullable String dropped() {
    return dropped;
  }

  void drop(String reason) {
    dropped = reason;
    signalBoth();
  }

  private void signalBoth() {
    client.signal();
    server.signal();
  }
}
