package io.verbena.simulation;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.Tally;
import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.Step;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.world.SimHost;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan. It runs all steps, then waits for ends and mended faults, makes a last call on
 * each session, and closes the books.
 */
final class Run {
  private static final long SECOND = 1_000_000_000L;
  private static final long MISCHIEF_NANOS = 4 * SECOND;

  /** Nothing takes longer than this after the last fault is mended. */
  private static final long PATIENCE = 90 * SECOND;

  private static final long BETWEEN_LAST_CALLS = SECOND;

  private final RunContext run;
  private final AtomicLong forged = new AtomicLong();
  private final @Nullable Mischief mischief;
  private final Calls calls;
  private final Moves moves;
  private final Streams streams;
  private final Reaches reaches;
  private final Processes processes;
  private final Faults faults;
  private int stepsLeft;

  private Run(RunContext run, @Nullable Mischief mischief) {
    this.run = run;
    this.mischief = mischief;
    Cuts cuts = new Cuts(run);
    calls = new Calls(run, cuts);
    moves = new Moves(run, cuts);
    streams = new Streams(run);
    reaches = new Reaches(run);
    processes = new Processes(run, moves, streams, reaches);
    faults = new Faults(run, processes);
  }

  static Outcome of(Plan plan, @Nullable Mischief mischief, @Nullable Consumer<String> trace) {
    RunContext context = new RunContext(plan, trace);
    Run run = new Run(context, mischief);
    try (context) {
      run.all();
    } catch (RuntimeException | Error e) {
      context.journal.broken("nothing throws into a loop", "", 0, withCauses(e));
    }
    return new Outcome(
        plan,
        List.copyOf(context.journal.violations()),
        context.journal.tally(),
        context.journal.results(),
        run.coverage(),
        context.agenda.now(),
        context.scheduler.turns(),
        context.scheduler.hash());
  }

  private Tally coverage() {
    Tally all = new Tally();
    all.add(faults.coverage());
    all.add(run.streams.coverage());
    all.add(run.regions.coverage());
    return all;
  }

  private static String withCauses(Throwable e) {
    StringBuilder words = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      words.append(words.isEmpty() ? "" : " <- ").append(cause);
      StackTraceElement[] stack = cause.getStackTrace();
      for (int i = 0; i < Math.min(12, stack.length); i++) {
        words.append("\n      at ").append(stack[i]);
      }
    }
    return words.toString();
  }

  private void all() {
    processes.start();
    if (mischief != null) {
      SimHost client = processes.lastClient();
      run.journal.exempt(client.name(), client.net().address());
    }
    schedule();
    run.trace.say(() -> "%s".formatted(run.plan.withSteps(List.of())));
    boolean ended =
        until(
            PATIENCE,
            () ->
                stepsLeft == 0
                    && calls.chains() == 0
                    && run.journal.open() == 0
                    && run.regions.open() == 0
                    && isMended());
    if (!ended && isClean()) {
      List<String> open = new ArrayList<>(run.journal.openOnes());
      open.addAll(run.regions.openOnes());
      String words = String.join(", ", open);
      run.journal.broken(
          "nothing waits for ever",
          "",
          0,
          open.size() + " calls or transfers have not ended: " + words);
    }
    regionsEnd(false);
    streamsEnd("no end of a stream waits for ever");
    if (isClean()) {
      lastCalls();
    }
    manners();
    if (isClean()) {
      balance();
    }
    if (isClean()) {
      endAll();
    }
    run.memory.look();
    moves.lookAtFiles();
    run.regions.closeBooks();
    run.journal.closeBooks();
    long stepped = run.world.hosts().stream().mapToLong(SimHost::stepped).sum();
    if (stepped > 0) {
      run.journal.tally().add("stepped", stepped);
    }
  }

  /** Waits until all ends of streams have ended. */
  private void streamsEnd(String rule) {
    if (!until(PATIENCE, () -> !run.streams.hasOpenOnes()) && isClean()) {
      run.journal.broken(rule, "", 0, String.join("; ", run.streams.openOnes()));
    }
  }

  /** Waits until regions have ended that are closed or expired; or all, if sessions have ended. */
  private void regionsEnd(boolean all) {
    if (!until(PATIENCE, () -> run.regions.overdue(all).isEmpty()) && isClean()) {
      run.journal.broken("regions end", "", 0, String.join("; ", run.regions.overdue(all)));
    }
  }

  private boolean isClean() {
    return run.journal.violations().isEmpty();
  }

  private boolean isMended() {
    return faults.underWay() == 0 && processes.starting() == 0;
  }

  /** Runs until a condition holds or a rule is broken. Returns whether the condition holds. */
  private boolean until(long nanos, BooleanSupplier condition) {
    return run.scheduler.run(() -> !isClean() || condition.getAsBoolean(), run.agenda.now() + nanos)
        && isClean();
  }

  // ---- the steps ----

  private void schedule() {
    if (mischief != null) {
      make(mischief);
    }
    for (Step step : run.plan.steps()) {
      stepsLeft++;
      Agenda.Entry _ =
          run.agenda.at(
              step.at(),
              () -> {
                stepsLeft--;
                take(step);
              });
    }
  }

  /** Makes the last client misbehave from the start on. Its own calls are not checked. */
  private void make(Mischief made) {
    SimHost host = processes.lastClient();
    Mischief.Culprit culprit =
        new Mischief.Culprit(
            run.agenda,
            host,
            processes.sessions().stream().filter(session -> session.client() == host).toList(),
            new SplittableRandom(run.plan.seed()),
            forged);
    stepsLeft++;
    made.begin(culprit);
    run.later(
        MISCHIEF_NANOS,
        () -> {
          stepsLeft--;
          made.end(culprit);
        });
  }

  private void take(Step step) {
    switch (step) {
      case Step.Call call -> calls.start(processes.sessions().get(call.session()), call);
      case Step.Chain chain -> calls.start(processes.sessions().get(chain.session()), chain);
      case Step.Move move -> moves.start(processes.sessions().get(move.session()), move);
      case Step.Stream stream -> streams.start(processes.sessions().get(stream.session()), stream);
      case Step.Expose expose -> reaches.expose(processes.sessions().get(expose.session()), expose);
      case Step.Reach reach -> reaches.reach(processes.sessions().get(reach.session()), reach);
      case Step.Fault fault -> faults.befall(fault);
    }
  }

  // ---- the end ----

  /** Checks that each session works. A first call may fail, because the server was restarted. */
  private void lastCalls() {
    for (SimSession session : processes.sessions()) {
      String failure = "";
      boolean answered = false;
      for (int attempt = 1; attempt <= 4 && !answered; attempt++) {
        long op = -(100L * processes.sessions().indexOf(session) + attempt);
        long timeout = run.timeout;
        SimHost client = session.client();
        var entry =
            run.journal.called(op, session.name(), client, Step.CallKind.COUNT, timeout, false);
        CompletableFuture<Long> last = session.works().count(op).toCompletableFuture();
        CompletableFuture<Long> _ =
            last.whenComplete(
                (result, problem) ->
                    run.journal.ended(
                        entry, problem != null || result == Content.answer(op), problem, true));
        if (!until(PATIENCE, last::isDone)) {
          return;
        }
        answered = !last.isCompletedExceptionally();
        failure = answered ? "" : String.valueOf(last.exceptionNow().getMessage());
        if (!answered) {
          until(BETWEEN_LAST_CALLS, () -> false); // handlers may still run without their callers
        }
      }
      if (!answered) {
        run.journal.broken(
            "sessions work again when all is mended", session.name(), 0, "four failed: " + failure);
      }
    }
  }

  /** Checks that ends detect broken rules of their peers, and only real ones. */
  private void manners() {
    long broken = 0;
    for (SimHost host : run.world.hosts()) {
      broken += host.rdma() == null ? 0 : host.rdma().counters().brokenRules();
      broken += host.shm() == null ? 0 : host.shm().figure("shm rules broken by peers");
    }
    if (broken > run.emptyRefused.get() && forged.get() == 0) {
      run.journal.broken(
          "ends keep to the rules of the wire",
          "",
          0,
          broken + " better links were closed because their peer broke the rules");
    } else if (broken == 0 && forged.get() > 0) {
      run.journal.broken(
          "forged immediates are refused", "", 0, forged + " immediates were forged");
    }
  }

  /** Checks that all resources were given back. */
  private void balance() {
    List<SimHost> all = run.world.hosts();
    boolean even = until(40 * SECOND, () -> all.stream().allMatch(host -> owed(host).isEmpty()));
    if (!even && isClean()) {
      String owed =
          all.stream().flatMap(host -> owed(host).stream()).collect(Collectors.joining("; "));
      run.journal.broken("resources are given back", "", 0, owed);
    }
  }

  private List<String> owed(SimHost host) {
    List<String> owed = new ArrayList<>();
    VerbenaClient client = host.client();
    VerbenaServer server = host.server();
    if (client != null) {
      owes(owed, host, client.slotsInUse(), client.sharedBytesInUse(), client.bulkStats());
    }
    if (server != null) {
      owes(owed, host, server.slotsInUse(), server.sharedBytesInUse(), server.bulkStats());
    }
    int sent = client == null ? 0 : client.streamsSent();
    sent += server == null ? 0 : server.streamsSent();
    if (sent > run.streams.sentBy(host)) {
      owed.add(host + ": " + sent + " streams");
    }
    if (host.handlers().underWay() > 0) {
      owed.add(host + ": " + host.handlers().underWay() + " handlers");
    }
    return owed;
  }

  private static void owes(
      List<String> owed, SimHost host, int slots, long shared, BulkStats bulk) {
    if (shared != 0) {
      owed.add(host + ": " + shared + " bytes of shared memory of sessions");
    }
    if (slots != 0) {
      owed.add(host + ": " + slots + " slots");
    }
    if (bulk.sending() + bulk.receiving() != 0) {
      owed.add(host + ": " + bulk.sending() + " transfers out, " + bulk.receiving() + " in");
    }
    if (bulk.memoryInUse() != 0 || bulk.quarantined() != 0) {
      owed.add(
          "%s: %d bytes of bulk memory, %d in quarantine"
              .formatted(host, bulk.memoryInUse(), bulk.quarantined()));
    }
  }

  /** Ends every process in order, and checks that no registration and no device object is left. */
  private void endAll() {
    List<SimHost> all = List.copyOf(run.world.hosts());
    for (SimSession session : processes.sessions()) {
      session.session().close();
    }
    run.streams.closing();
    boolean _ = run.scheduler.run(() -> false, run.agenda.now() + SECOND);
    streamsEnd("streams end with their session");
    regionsEnd(true);
    all.forEach(run.world::end);
    if (!until(PATIENCE, () -> all.stream().allMatch(SimHost::hasEnded))) {
      if (isClean()) {
        run.journal.broken("processes end in order", "", 0, "some have not ended");
      }
      return;
    }
    for (SimHost host : all) {
      long pinned = host.rdma() == null ? 0 : host.rdma().pinnedBytes();
      pinned += host.shm() == null ? 0 : host.shm().figure("shm mapped bytes");
      if (pinned != 0 || host.fabric().objects() != 0) {
        run.journal.broken(
            "resources are given back",
            "",
            0,
            "%s: %d bytes registered or mapped, %d verbs objects"
                .formatted(host, pinned, host.fabric().objects()));
      }
    }
  }
}
