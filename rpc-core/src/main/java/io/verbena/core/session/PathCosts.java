package io.verbena.core.session;

import io.verbena.core.bulk.stat.CopyCost;
import io.verbena.core.bulk.stat.Costs;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.Command;
import io.verbena.core.sequence.Outbox;
import io.verbena.link.BulkPort;
import io.verbena.link.PinningCost;
import io.verbena.link.PinningCosts;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * What the path costs that a session has now, as far as it is known, and the cut-offs that follow.
 * A new link is measured in the background; nothing waits for that.
 */
public final class PathCosts {
  private final SessionContext context;
  private final Outbox outbox;
  private final SessionLinks links;
  private final CutOffs set;
  private volatile Costs costs = Costs.UNKNOWN;
  private volatile CutOffs cutOffs;

  /** Of the cut-offs, what each call asks for. */
  private volatile long beside;

  private volatile int longestMessage;

  /** No message is so long while the peer takes none that is compressed. */
  private volatile int compressFrom = Integer.MAX_VALUE;

  PathCosts(SessionContext context, Outbox outbox, SessionLinks links) {
    this.context = context;
    this.outbox = outbox;
    this.links = links;
    this.set = context.bulk().set();
    this.longestMessage = context.limits().maxMessageBytes();
    this.cutOffs = cutOffs(costs);
    this.beside = cutOffs.beside();
  }

  /** Returns the cut-offs, measured or set. Safe for any thread. */
  public CutOffs cutOffs() {
    return cutOffs;
  }

  /** Returns from how many bytes on a value goes beside its message. Safe for any thread. */
  public long beside() {
    return beside;
  }

  /**
   * Returns the longest message that both ends take, as far as it is known. Safe for any thread.
   */
  public int longestMessage() {
    return longestMessage;
  }

  /**
   * Returns {@linkplain SessionContext#compressFrom from which length on} messages to the peer are
   * compressed. Safe for any thread.
   */
  public int compressFrom() {
    return compressFrom;
  }

  /** Returns what the path costs, as far as it is known. Safe for any thread. */
  public Costs costs() {
    return costs;
  }

  /** Returns what is known, in figures. Safe for any thread. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new TreeMap<>();
    Costs known = costs;
    PinningCost warm = known.pinning().warm();
    put(figures, "round trip ns", known.roundTrip());
    put(figures, "copy ns per MiB", known.copyPerByte() * (1 << 20));
    put(figures, "pin ns", warm.fixed());
    put(figures, "pin ns per page", warm.perPage());
    figures.put("beside from bytes", cutOffs.beside());
    figures.put("in place from bytes", cutOffs.inPlace());
    int compressed = compressFrom;
    if (compressed != Integer.MAX_VALUE) {
      figures.put("compressed from bytes", (long) compressed);
    }
    return figures;
  }

  private static void put(Map<String, Long> figures, String name, double value) {
    if (value > 0) {
      figures.put(name, Math.round(value));
    }
  }

  private CutOffs cutOffs(Costs known) {
    return CutOffs.of(known).within(longestMessage).unless(set);
  }

  /** The peer takes this, before anything is sent to it. */
  void peerTakes(PeerLimits peers) {
    compressFrom = context.compressFrom(peers);
  }

  /** The path has changed, and perhaps the peer. */
  void changed() {
    PeerLimits peers = outbox.peerLimits();
    longestMessage = Math.min(context.limits().maxMessageBytes(), peers.maxMessageBytes());
    take(costs);
    SessionLink out = links.out();
    if (out == null || !context.bulk().measures()) {
      return;
    }
    if (out.roundTrip.nanos() == 0) {
      measure(out);
    }
    known(out);
  }

  private void measure(SessionLink sessionLink) {
    Command learn = () -> known(sessionLink);
    Runnable learnOnLoop = () -> context.loop().execute(learn);
    sessionLink.roundTrip.measure(
        () -> pinning(sessionLink).thenRun(() -> CopyCost.whenKnown(learnOnLoop)));
  }

  private void known(SessionLink sessionLink) {
    if (sessionLink != links.out()) {
      return;
    }
    long roundTrip = sessionLink.roundTrip.nanos();
    PinningCosts pinning =
        roundTrip == 0 ? PinningCosts.NONE : pinning(sessionLink).getNow(PinningCosts.NONE);
    take(new Costs(CopyCost.perByte(), pinning, roundTrip));
  }

  private void take(Costs known) {
    costs = known;
    CutOffs now = cutOffs(known);
    cutOffs = now;
    // Where no link moves bulk, a value is part of its message, however long.
    boolean movesNone = links.out() != null && !links.moveBulk();
    beside = movesNone ? Long.MAX_VALUE : now.beside();
  }

  /** Once a round trip has been measured, which that would disturb. */
  private static CompletableFuture<PinningCosts> pinning(SessionLink sessionLink) {
    BulkPort port = sessionLink.link.bulk();
    return port == null
        ? CompletableFuture.completedFuture(PinningCosts.NONE)
        : port.pinning().toCompletableFuture();
  }
}
