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

/** Misbehaviour of one client towards a server with other clients. Each lasts for a while. */
enum Mischief {
  /** Makes more calls than its server can serve. */
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

  /** Requests much data and reads none of it, because its process stands still. */
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

  /** Sends invalid frames among valid ones. */
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

  /** Reports other targets than it has written, namely the next of the same slot. */
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

  /** Calls with such numbers are not in the journal, and not checked. */
  static final long STRAYS = 1L << 50;

  abstract void begin(Culprit culprit);

  void end(Culprit culprit) {}

  /**
   * The client that misbehaves.
   *
   * @param random the source of all chance
   * @param forged the number of immediates that it has forged
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
