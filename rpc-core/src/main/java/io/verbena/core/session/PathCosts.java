package io.verbena.core.session;

import io.verbena.core.bulk.cost.CopyCost;
import io.verbena.core.bulk.cost.Costs;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.link.BulkPort;
import io.verbena.core.link.PinningCosts;
import io.verbena.core.loop.Command;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What the path costs that a session has now, as far as it is known, and the cut-offs that follow.
 * A new link is measured in the background; nothing waits for that.
 */
public final class PathCosts {
  private final SessionCore session;
  private final CutOffs set;
  private volatile Costs costs = Costs.UNKNOWN;
  private volatile CutOffs cutOffs;

  private volatile int longestMessage;

  PathCosts(SessionCore session) {
    this.session = session;
    this.set = session.context().bulk().set();
    this.longestMessage = session.limits().maxMessageBytes();
    this.cutOffs = cutOffs(costs);
  }

  /** Returns the cut-offs, measured or set. Safe for any thread. */
  public CutOffs cutOffs() {
    return cutOffs;
  }

  /**
   * Returns the longest message that both ends take, as far as it is known. Safe for any thread.
   */
  public int longestMessage() {
    return longestMessage;
  }

  /** Measures the path once more. Safe for any thread. Never, if its link is lost meanwhile. */
  public CompletionStage<Costs> measure() {
    CompletableFuture<Costs> measured = new CompletableFuture<>();
    session
        .loop()
        .execute(
            () -> {
              Lane out = session.lanes().out();
              if (out == null) {
                measured.complete(Costs.UNKNOWN);
              } else {
                measure(out, () -> measured.complete(costs));
              }
            });
    return measured;
  }

  private CutOffs cutOffs(Costs known) {
    return CutOffs.of(known).within(longestMessage).unless(set);
  }

  /** The path has changed, and perhaps the peer. */
  void changed() {
    int peers = session.outbox().peerLimits().maxMessageBytes();
    longestMessage = Math.min(session.limits().maxMessageBytes(), peers);
    cutOffs = cutOffs(costs);
    Lane out = session.lanes().out();
    if (out == null || !session.context().bulk().measures()) {
      return;
    }
    if (out.roundTrip().nanos() == 0) {
      measure(out, () -> {});
    }
    known(out);
  }

  private void measure(Lane lane, Runnable then) {
    Command learn =
        () -> {
          known(lane);
          then.run();
        };
    Runnable learnOnLoop = () -> session.loop().execute(learn);
    lane.roundTrip().measure(() -> pinning(lane).thenRun(() -> CopyCost.whenKnown(learnOnLoop)));
  }

  private void known(Lane lane) {
    if (lane != session.lanes().out()) {
      return;
    }
    long roundTrip = lane.roundTrip().nanos();
    PinningCosts pinning =
        roundTrip == 0 ? PinningCosts.NONE : pinning(lane).getNow(PinningCosts.NONE);
    costs = new Costs(CopyCost.perByte(), pinning, roundTrip);
    cutOffs = cutOffs(costs);
  }

  /** Once a round trip has been measured, which that would disturb. */
  private static CompletableFuture<PinningCosts> pinning(Lane lane) {
    BulkPort port = lane.link().bulk();
    return port == null
        ? CompletableFuture.completedFuture(PinningCosts.NONE)
        : port.pinning().toCompletableFuture();
  }
}
