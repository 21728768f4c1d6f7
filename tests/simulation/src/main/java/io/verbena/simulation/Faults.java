package io.verbena.simulation;

import io.verbena.core.VerbenaClient;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.simulation.check.Tally;
import io.verbena.simulation.net.Line;
import io.verbena.simulation.plan.Phase;
import io.verbena.simulation.plan.Step.Fault;
import io.verbena.simulation.plan.Step.FaultKind;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.world.ShmProcess;
import io.verbena.simulation.world.SimHost;
import io.verbena.verbs.fabric.FabricAdapter;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Injects faults, and mends them when their time is over. */
final class Faults {
  /** The longest time that a fault waits for its phase. */
  private static final long AIM_NANOS = 1_000_000_000L;

  private final RunContext run;
  private final Processes processes;
  private final Duration normalLatency;
  private final long normalRate;
  private final Tally coverage = new Tally();
  private int underWay;

  Faults(RunContext run, Processes processes) {
    this.run = run;
    this.processes = processes;
    this.normalLatency = Duration.ofNanos(run.plan.latencyNanos());
    this.normalRate = run.plan.rate();
  }

  /** Returns the counts of faults in phases. */
  Tally coverage() {
    return coverage;
  }

  /** Returns the number of faults that have not happened or are not mended yet. */
  int underWay() {
    return underWay;
  }

  /** Injects a fault now, or when its session enters the fault's phase. */
  void befall(Fault fault) {
    Phase aim = fault.aim();
    if (aim == null) {
      strike(fault);
      return;
    }
    boolean[] struck = new boolean[1];
    underWay++;
    Runnable once =
        () -> {
          if (!struck[0]) {
            struck[0] = true;
            underWay--;
            strike(fault);
          }
        };
    Agenda.Entry limit = run.agenda.after(AIM_NANOS, once);
    // The fault happens at the start of the phase, or in the midst of it.
    long into = fault.amount() % 2 == 0 ? 0 : fault.amount() % 300_000;
    run.scheduler.watch(
        () -> {
          if (struck[0]) {
            return true;
          }
          if (phase(fault) != aim) {
            return false;
          }
          limit.callOff();
          run.later(into, once);
          return true;
        });
  }

  /** Returns the phase of the fault's session. */
  private Phase phase(Fault fault) {
    SimSession session = processes.session(fault.session());
    SimHost server = processes.host(session.server());
    String link = session.session().path().link();
    String why = session.session().path().reason();
    VerbenaClient client = session.client().client();
    boolean bulk = client != null && isBusy(client.bulkStats());
    if (link.equals("rdma") || link.equals("shm")) {
      return bulk ? Phase.BETTER_WITH_BULK : Phase.BETTER;
    }
    if (!link.equals("tcp")) {
      return Phase.NO_LINK;
    }
    if (why.contains("rdma lost") || why.contains("shm lost")) {
      return bulk ? Phase.BETTER_LOST_WITH_BULK : Phase.BETTER_LOST;
    }
    boolean upgrades = session.client().upgrades() != null && server.upgrades() != null;
    if (upgrades && (why.contains("not upgraded yet") || why.contains("asked"))) {
      return bulk ? Phase.UPGRADING_WITH_BULK : Phase.UPGRADING;
    }
    return bulk ? Phase.STREAM_WITH_BULK : Phase.STREAM;
  }

  private static boolean isBusy(BulkStats stats) {
    return stats.sending() + stats.receiving() > 0;
  }

  private void strike(Fault fault) {
    SimSession session = processes.session(fault.session());
    SimHost server = processes.host(session.server());
    SimHost client = session.client();
    Phase phase = phase(fault);
    coverage.add(CoverageTable.cell(fault.kind(), phase));
    run.streams.met(fault.kind(), client, server);
    run.trace.say(
        () ->
            "FAULT %s between %s and %s for %.3f ms, in phase %s"
                .formatted(fault.kind(), client, server, fault.nanos() / 1e6, phase));
    Line line = run.world.line(client, server);
    SimHost one = fault.amount() % 2 == 0 ? client : server;
    switch (fault.kind()) {
      case STREAM_RESET -> client.net().resetAll();
      case STREAM_STALL -> {
        line.stall(true);
        mend(fault, () -> line.stall(false));
      }
      case STREAM_HALF_STALL -> {
        line.stallFrom(one.net(), true);
        mend(fault, () -> line.stallFrom(one.net(), false));
      }
      case STREAM_THROTTLE -> {
        line.rate(20_000 + fault.amount() % 2_000_000);
        mend(fault, () -> line.rate(normalRate));
      }
      case STREAM_DELAY -> {
        line.latency(Duration.ofNanos(fault.amount() % 300_000_000));
        mend(fault, () -> line.latency(normalLatency));
      }
      case SERVER_STANDS_STILL -> standStill(server, fault);
      case CLIENT_STANDS_STILL -> standStill(client, fault);
      case CLOCK_JUMP -> run.world.jump(fault.nanos());
      case FABRIC_CUT -> cutFabric(client, server, fault);
      case FABRIC_DELAY -> {
        run.world.fabric().delay(client.fabric(), server.fabric(), fault.amount() % 200_000_000);
        mend(fault, () -> run.world.fabric().delay(client.fabric(), server.fabric(), 0));
      }
      case DEVICE_REMOVED -> {
        FabricAdapter adapter = adapter(one, fault);
        adapter.unplug();
        mend(fault, adapter::plugIn);
      }
      case DEVICE_BREAKS -> {
        FabricAdapter adapter = adapter(one, fault);
        adapter.breakDown();
        mend(
            fault,
            () -> {
              adapter.unplug();
              adapter.plugIn();
            });
      }
      case COMPLETION_ERRORS -> one.fabric().failRequests(1 + (int) (fault.amount() % 3));
      case CONNECTIONS_REFUSED -> {
        breakLink(one, fault);
        server.fabric().refuseConnections(true);
        mend(fault, () -> server.fabric().refuseConnections(false));
      }
      case CONNECTIONS_IGNORED -> {
        breakLink(one, fault);
        server.fabric().ignoreConnections(true);
        mend(fault, () -> server.fabric().ignoreConnections(false));
      }
      case MEMORY_REFUSED -> {
        breakLink(one, fault);
        one.fabric().refuseMemory(true);
        mend(fault, () -> one.fabric().refuseMemory(false));
      }
      case BOTH_LINKS -> {
        client.net().resetAll();
        if (client.shm() != null) {
          client.shm().cut();
        } else {
          cutFabric(client, server, fault);
        }
      }
      case HANDLERS_FULL -> {
        server.handlers().full(true);
        mend(fault, () -> server.handlers().full(false));
      }
      case SERVER_RESTART -> processes.restartServer(session.server(), fault.nanos());
      case CLIENT_RESTART -> processes.restartClient(client);
      case SERVER_DRAINS -> processes.drainServer(session.server(), fault.nanos());
      case SHM_CUT, SHM_LATE, SHM_UNHEARD, SHM_REMOVED, SHM_REFUSED -> {
        cutByChance(client, fault);
        befall(fault, one.shm(), server.shm());
      }
    }
  }

  /** Cuts links by chance, so that new links must be made. */
  private static void cutByChance(SimHost client, Fault fault) {
    boolean cuts = fault.kind() == FaultKind.SHM_CUT || fault.amount() % 4 < 2;
    if (client.shm() != null && cuts && fault.kind() != FaultKind.SHM_LATE) {
      client.shm().cut();
    }
  }

  private void befall(Fault fault, @Nullable ShmProcess one, @Nullable ShmProcess server) {
    if (one == null || server == null) {
      return; // the client has only TCP
    }
    switch (fault.kind()) {
      case SHM_LATE -> {
        one.late(fault.amount() % 200_000_000);
        mend(fault, () -> one.late(0));
      }
      case SHM_UNHEARD -> {
        one.deaf(true);
        mend(fault, () -> one.deaf(false));
      }
      case SHM_REMOVED -> one.removeFiles();
      case SHM_REFUSED -> {
        server.refuse(true);
        mend(fault, () -> server.refuse(false));
      }
      default -> {}
    }
  }

  private static FabricAdapter adapter(SimHost host, Fault fault) {
    List<FabricAdapter> all = host.fabric().adapters();
    return all.get((int) Math.floorMod(fault.amount(), (long) all.size()));
  }

  /** Breaks a link by chance, so that a new link must be made. */
  private static void breakLink(SimHost host, Fault fault) {
    if (fault.amount() % 4 < 2) {
      host.fabric().failRequests(1);
    }
  }

  private void cutFabric(SimHost client, SimHost server, Fault fault) {
    run.world.fabric().cut(client.fabric(), server.fabric());
    mend(fault, () -> run.world.fabric().heal(client.fabric(), server.fabric()));
  }

  private void standStill(SimHost host, Fault fault) {
    host.standStill(true);
    mend(fault, () -> host.standStill(false));
  }

  private void mend(Fault fault, Runnable mending) {
    underWay++;
    run.later(
        fault.nanos(),
        () -> {
          underWay--;
          run.trace.say(() -> "mended: %s".formatted(fault.kind()));
          mending.run();
        });
  }
}
