package io.verbena.mem;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The common part of a link's two ends: a ring for each direction, and the faults that a test has
 * set. Safe for use by any thread.
 */
final class Circuit {
  final String name;
  final long id;
  final FrameRing toServer;
  final FrameRing toClient;
  final InMemoryDriver client;
  private volatile InMemoryDriver server;
  private final Consumer<Circuit> whenOver;

  /**
   * Set by the end that decides whether there is a link: the one that accepts, or the one that
   * gives up.
   */
  private final AtomicBoolean settled = new AtomicBoolean();

  private final AtomicInteger openEnds = new AtomicInteger(2);
  private volatile boolean stalled;
  private volatile @Nullable String dropped;

  Circuit(
      String name,
      long id,
      int ringFrames,
      InMemoryDriver client,
      InMemoryDriver server,
      Consumer<Circuit> whenOver) {
    this.name = name;
    this.id = id;
    this.toServer = new FrameRing(ringFrames);
    this.toClient = new FrameRing(ringFrames);
    this.client = client;
    this.server = server;
    this.whenOver = whenOver;
  }

  /** Returns the driver that steps the server's end now. */
  InMemoryDriver server() {
    return server;
  }

  /** Changes the driver that steps the server's end. */
  void serverMoves(InMemoryDriver to) {
    server = to;
  }

  /** Returns true to the first caller. */
  boolean settle() {
    return settled.compareAndSet(false, true);
  }

  void endClosed() {
    if (openEnds.decrementAndGet() == 0) {
      forget();
    }
  }

  void forget() {
    whenOver.accept(this);
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
