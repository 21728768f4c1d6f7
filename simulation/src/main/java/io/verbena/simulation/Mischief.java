package io.verbena.simulation;

import io.verbena.simulation.contract.WorksRpc;
import io.verbena.simulation.net.NetHost;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.world.SimHost;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;

/** What one client may do to a server that it shares with others. Each lasts for a while. */
enum Mischief {
  /** Makes more calls than its server could take. */
  FLOODS {
    @Override
    void begin(Culprit culprit) {
      culprit.often(2_000, 50_000, () -> culprit.call(false));
    }
  },

  /** Makes calls, and cancels each at once. */
  CANCELS_ALL {
    @Override
    void begin(Culprit culprit) {
      culprit.often(2_000, 50_000, () -> culprit.call(true));
    }
  },

  /** Asks for much, and takes nothing of it: its process stands still. */
  STOPS_READING {
    @Override
    void begin(Culprit culprit) {
      culprit.often(200, 10_000, culprit::askForMuch);
      culprit.after(50_000_000, () -> culprit.host().standStill(true));
    }

    @Override
    void end(Culprit culprit) {
      culprit.host().standStill(false);
    }
  },

  /** Sends what is no frame, amid frames. */
  SPEAKS_NONSENSE {
    @Override
    void begin(Culprit culprit) {
      culprit.net().garble(culprit.random());
    }

    @Override
    void end(Culprit culprit) {
      culprit.net().garble(null);
    }
  },

  /** Tells of other landings than those that it has written into: of the next in the same slot. */
  FORGES_IMMEDIATES {
    @Override
    void begin(Culprit culprit) {
      culprit.host().fabric().forge(culprit::another);
      culprit.often(20, 100_000_000, culprit::askForMuch);
    }

    @Override
    void end(Culprit culprit) {
      culprit.host().fabric().forge(IntUnaryOperator.identity());
    }
  };

  /** Calls with such numbers are nobody's, and not judged. */
  static final long STRAYS = 1L << 50;

  abstract void begin(Culprit culprit);

  void end(Culprit culprit) {}

  /**
   * The client that does it.
   *
   * @param sessions its own
   * @param random all that is left to chance
   * @param forged how many immediates it has forged
   */
  record Culprit(
      Agenda agenda,
      SimHost host,
      List<SimSession> sessions,
      SplittableRandom random,
      AtomicLong forged) {
    private static final int MUCH = 100_000;

    int another(int immediate) {
      forged.incrementAndGet();
      return immediate ^ 1;
    }

    NetHost net() {
      return host.net();
    }

    void after(long nanos, Runnable action) {
      Agenda.Entry _ = agenda.after(nanos, action);
    }

    void often(int times, long nanosBetween, Runnable action) {
      for (int i = 0; i < times; i++) {
        after(i * nanosBetween, action);
      }
    }

    private WorksRpc.Async works() {
      return sessions.get(random.nextInt(sessions.size())).works();
    }

    private long stray() {
      return STRAYS + random.nextInt(1 << 30);
    }

    void call(boolean cancel) {
      CompletableFuture<Long> made = works().count(stray()).toCompletableFuture();
      if (cancel) {
        made.cancel(true);
      }
    }

    void askForMuch() {
      CompletableFuture<byte[]> _ =
          works().echo(stray(), new byte[random.nextInt(MUCH)]).toCompletableFuture();
    }
  }
}
