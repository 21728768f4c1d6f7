package io.verbena.simulation;

import io.verbena.simulation.check.Journal;
import io.verbena.simulation.check.RegionBook;
import io.verbena.simulation.check.StreamBook;
import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.time.Scheduler;
import io.verbena.simulation.world.HostSettings;
import io.verbena.simulation.world.SimWorld;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The shared state of a run: its plan, world and time, and the books of the checks. */
final class RunContext implements AutoCloseable {
  final Plan plan;
  final SimWorld world;
  final Scheduler scheduler;
  final Agenda agenda;
  final Trace trace;
  final Journal journal;
  final StreamBook streams;
  final RegionBook regions;
  final Memory memory;
  final Folder folder = new Folder();

  /** The empty WRITEs that devices refused for their keys. */
  final AtomicLong emptyRefused = new AtomicLong();

  /** Whether the plan has no faults, so that calls succeed. */
  final boolean calm;

  /** Whether hosts have few threads for handlers, so that notifications may be late. */
  final boolean bounded;

  /** The default timeout of a call, in nanoseconds. */
  final long timeout;

  RunContext(Plan plan, @Nullable Consumer<String> out) {
    this.plan = plan;
    world = new SimWorld(plan.worldSeed(), plan.hasCallers());
    scheduler = world.scheduler();
    agenda = scheduler.agenda();
    trace = new Trace(agenda::now, out);
    calm = plan.isCalm();
    bounded =
        Stream.concat(plan.servers().stream(), plan.clients().stream())
            .anyMatch(HostSettings::isBounded);
    timeout = plan.clients().getFirst().limits().defaultTimeout().toNanos();
    journal = new Journal(agenda::now, calm);
    streams = new StreamBook(journal, calm);
    regions = new RegionBook(journal, agenda::now, calm);
    memory = new Memory(journal);
  }

  /** Runs an action after a time in nanoseconds; never if it is negative. */
  void later(long nanos, Runnable action) {
    if (nanos >= 0) {
      Agenda.Entry _ = agenda.after(nanos, action);
    }
  }

  @Override
  public void close() {
    try {
      world.close();
    } finally {
      memory.close();
      folder.close();
    }
  }
}
