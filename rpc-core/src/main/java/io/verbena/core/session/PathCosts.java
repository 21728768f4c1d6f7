package io.verbena.core.session;

import io.verbena.core.bulk.stat.CopyCost;
import io.verbena.core.bulk.stat.Costs;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.Command;
import io.verbena.link.BulkPort;
import io.verbena.link.PinningCost;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The costs of a session's present path, as far as they are known, and the cut-offs that follow
 * from them. A new link is measured in the background, and nothing waits for it.
 */
public final class PathCosts {
  private final SessionContext context;
  private final SessionLinks links;
  private volatile Costs costs = Costs.UNKNOWN;
  private volatile CutOffs cutOffs;

  /** The one cut-off that each call reads. */
  private volatile long beside;

  private volatile int longestMessage;

  /** Longer than any message while the peer accepts no compressed messages. */
  private volatile int compressFrom = Integer.MAX_VALUE;

  private volatile boolean answersSeveral;
  private volatile boolean pushesEarly;

  PathCosts(SessionContext context, SessionLinks links) {
    this.context = context;
    this.links = links;
    this.longestMessage = context.limits().maxMessageBytes();
    this.cutOffs = cutOffs(costs);
    this.beside = cutOffs.beside();
  }

  /** Returns the cut-offs, measured or set. Safe for use by any thread. */
  public CutOffs cutOffs() {
    return cutOffs;
  }

  /**
   * Returns the length in bytes from which a value travels beside its message. Safe for use by any
   * thread.
   */
  public long beside() {
    return beside;
  }

  /**
   * Returns the length of the longest message that both ends accept, as far as it is known. Safe
   * for use by any thread.
   */
  public int longestMessage() {
    return longestMessage;
  }

  /**
   * Returns the {@linkplain SessionContext#compressFrom length} from which messages to the peer are
   * compressed. Safe for use by any thread.
   */
  public int compressFrom() {
    return compressFrom;
  }

  /**
   * Returns whether the peer accepts several requests for items of a stream at once. Safe for use
   * by any thread.
   */
  public boolean answersSeveral() {
    return answersSeveral;
  }

  /** Returns whether the peer uses memory for pushes that was granted before their offer. */
  public boolean pushesEarly() {
    return pushesEarly;
  }

  /** Returns the costs of the path, as far as they are known. Safe for use by any thread. */
  public Costs costs() {
    return costs;
  }

  /** Returns the known costs and cut-offs as figures. Safe for use by any thread. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new TreeMap<>();
    Costs known = costs;
    PinningCost pinning = known.pinning();
    put(figures, "round trip ns", known.roundTrip());
    put(figures, "copy ns per MiB", known.copyPerByte() * (1 << 20));
    put(figures, "pin ns", pinning.fixed());
    put(figures, "pin ns per page", pinning.perPage());
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
    return CutOffs.of(known).within(longestMessage).unless(context.bulk().set());
  }

  /** Records the peer's limits, before anything is sent to it. */
  void peerTakes(PeerLimits peers) {
    compressFrom = context.compressFrom(peers);
    answersSeveral = peers.answersSeveral();
    pushesEarly = peers.pushesEarly();
  }

  /** Starts again after a change of the path and perhaps of the peer. */
  void changed() {
    PeerLimits peers = links.outbox.peerLimits();
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
    PinningCost pinning =
        roundTrip == 0 ? PinningCost.NONE : pinning(sessionLink).getNow(PinningCost.NONE);
    take(new Costs(CopyCost.perByte(), pinning, roundTrip));
  }

  private void take(Costs known) {
    costs = known;
    CutOffs now = cutOffs(known);
    cutOffs = now;
    // If no link moves bulk bytes, a value of any length is part of its message.
    boolean movesNone = links.out() != null && !links.moveBulk();
    beside = movesNone ? Long.MAX_VALUE : now.beside();
  }

  /**
   * Returns the cost of pinning. It is measured after the round trip, because it would disturb that
   * measurement.
   */
  private static CompletableFuture<PinningCost> pinning(SessionLink sessionLink) {
    BulkPort port = sessionLink.link.bulk();
    return port == null
        ? CompletableFuture.completedFuture(PinningCost.NONE)
        : port.pinning().toCompletableFuture();
  }
}
