package io.verbena.simulation;

import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.simulation.check.DeviceWatch;
import io.verbena.simulation.check.Journal;
import io.verbena.simulation.check.RegionBook;
import io.verbena.simulation.check.StreamBook;
import io.verbena.simulation.check.Tally;
import io.verbena.simulation.check.UpgradeWatch;
import io.verbena.simulation.contract.GuideRpc;
import io.verbena.simulation.contract.StockRpc;
import io.verbena.simulation.contract.WorksRpc;
import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.Step;
import io.verbena.simulation.plan.Step.FaultKind;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.world.HostSettings;
import io.verbena.simulation.world.SimHost;
import io.verbena.simulation.world.SimWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan: all steps, then time to end and to mend, a last call on each session, and the
 * books.
 *
 * <p>It is long, since a run is one strand of events in one order, and what each of them may touch
 * is kept here.
 */
final class Run implements Faults.Processes {
  private static final long SECOND = 1_000_000_000L;
  private static final int BUFFER_BYTES = 256 << 10;
  private static final long MISCHIEF_NANOS = 4 * SECOND;

  /** Nothing takes longer than this after the last fault is mended. */
  private static final long PATIENCE = 90 * SECOND;

  private static final long BETWEEN_LAST_CALLS = SECOND;

  private final Plan plan;
  private final AtomicLong forged = new AtomicLong();
  private final @Nullable Mischief mischief;
  private final SimWorld world;
  private final Agenda agenda;
  private final Trace trace;
  private final Journal journal;
  private final Memory memory;
  private final Folder folder = new Folder();
  private final Callbacks callbacks;
  private final Calls calls;
  private final Moves moves;
  private final StreamBook book;
  private final Streams streams;
  private final Faults faults;
  private final RegionBook regionBook;
  private final Reaches reaches;
  private final Map<String, SimHost> servers = new HashMap<>();
  private final List<SimHost> clients = new ArrayList<>();

  /** By the addresses of clients. */
  private final Map<String, UpgradeWatch> upgradeWatches = new HashMap<>();

  private final List<SimSession> sessions = new ArrayList<>();

  private int stepsLeft;
  private int starting;
  private int incarnations;

  private Run(Plan plan, @Nullable Mischief mischief, @Nullable Consumer<String> out) {
    this.plan = plan;
    this.mischief = mischief;
    world = new SimWorld(plan.worldSeed());
    agenda = world.scheduler().agenda();
    trace = new Trace(agenda::now, out);
    journal = new Journal(agenda::now, plan.isCalm());
    memory = new Memory(journal);
    callbacks = new Callbacks(journal, plan.isCalm());
    long timeout = plan.clients().getFirst().limits().defaultTimeout().toNanos();
    Cuts cuts = new Cuts(world.scheduler(), journal, trace);
    calls = new Calls(world.scheduler(), journal, memory, trace, cuts, timeout);
    moves = new Moves(agenda, journal, memory, folder, trace, cuts, plan.isCalm(), timeout);
    book = new StreamBook(journal, plan.isCalm());
    boolean bounded = plan.servers().stream().anyMatch(HostSettings::isBounded);
    bounded |= plan.clients().stream().anyMatch(HostSettings::isBounded);
    streams = new Streams(world.scheduler(), journal, book, callbacks, trace, timeout, bounded);
    faults = new Faults(world, this, trace, plan);
    regionBook = new RegionBook(journal, agenda::now, plan.isCalm());
    reaches = new Reaches(agenda, regionBook, memory, trace, timeout);
  }

  /** Runs a plan. */
  static Outcome of(Plan plan, @Nullable Mischief mischief, @Nullable Consumer<String> trace) {
    Run run = new Run(plan, mischief, trace);
    try {
      run.all();
    } catch (RuntimeException | Error e) {
      run.journal.broken("nothing throws into a loop", "", 0, withCauses(e));
    } finally {
      run.close();
    }
    return new Outcome(
        plan,
        List.copyOf(run.journal.violations()),
        run.journal.tally(),
        run.journal.results(),
        run.coverage(),
        run.agenda.now(),
        run.world.scheduler().turns(),
        run.world.scheduler().hash());
  }

  private Tally coverage() {
    Tally all = new Tally();
    all.add(faults.coverage());
    all.add(book.coverage());
    all.add(regionBook.coverage());
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

  private void close() {
    try {
      world.close();
    } finally {
      memory.close();
      folder.close();
    }
  }

  private void all() {
    start();
    if (mischief != null) {
      journal.exempt(clients.getLast().name(), clients.getLast().net().address());
    }
    schedule();
    trace.say(() -> "%s".formatted(plan.withSteps(List.of())));
    boolean ended =
        until(
            PATIENCE,
            () -> stepsLeft == 0 && journal.open() == 0 && regionBook.open() == 0 && isMended());
    if (!ended && isClean()) {
      List<String> open = new ArrayList<>(journal.openOnes());
      open.addAll(regionBook.openOnes());
      String words = String.join(", ", open);
      journal.broken("nothing waits for ever", "", 0, open.size() + " have not ended: " + words);
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
    memory.look();
    moves.lookAtFiles();
    regionBook.closeBooks();
    journal.closeBooks();
  }

  /** Whoever is to hear of a stream's end does. */
  private void streamsEnd(String rule) {
    if (!until(PATIENCE, () -> !book.hasOpenOnes()) && isClean()) {
      journal.broken(rule, "", 0, String.join("; ", book.openOnes()));
    }
  }

  /** Those end that are closed, or whose lease is over; or all, since their sessions have. */
  private void regionsEnd(boolean all) {
    if (!until(PATIENCE, () -> regionBook.overdue(all).isEmpty()) && isClean()) {
      journal.broken("regions end", "", 0, String.join("; ", regionBook.overdue(all)));
    }
  }

  private boolean isClean() {
    return journal.violations().isEmpty();
  }

  private boolean isMended() {
    return faults.underWay() == 0 && starting == 0;
  }

  /** Runs until something is so, or a rule is broken; returns whether it is so. */
  private boolean until(long nanos, BooleanSupplier condition) {
    return world.scheduler().run(() -> !isClean() || condition.getAsBoolean(), agenda.now() + nanos)
        && isClean();
  }

  // ---- the world ----

  private void start() {
    world.network().chunkBytes(plan.chunkBytes());
    for (int i = 0; i < plan.servers().size(); i++) {
      startServer("server" + i, plan.servers().get(i));
    }
    for (int i = 0; i < plan.clients().size(); i++) {
      clients.add(startClient(i));
    }
    for (int i = 0; i < plan.sessions().size(); i++) {
      sessions.add(openSession(i));
    }
  }

  private SimHost startClient(int number) {
    SimHost client = world.startClient("client" + number, plan.clients().get(number));
    watch(client);
    UpgradeWatch upgrades = new UpgradeWatch(journal, agenda::now, client.name());
    upgradeWatches.put(client.net().address(), upgrades);
    client.watchUpgrades(peer -> upgrades.asks(peer.getHost(), sessions(client, peer.getHost())));
    world
        .scheduler()
        .watch(
            () -> {
              upgrades.idle(idle(client));
              return client.hasEnded();
            });
    servers.values().forEach(server -> lay(client, server));
    return client;
  }

  private int sessions(SimHost client, String address) {
    Predicate<SimSession> between =
        session ->
            session.client() == client && host(session.server()).net().address().equals(address);
    return (int) sessions.stream().filter(between).count();
  }

  private long idle(SimHost client) {
    long idle = 0;
    for (int i = 0; i < sessions.size(); i++) {
      SimSession session = sessions.get(i);
      if (session.client() == client && session.session().state() == SessionState.IDLE) {
        idle |= 1L << i;
      }
    }
    return idle;
  }

  private SimSession openSession(int number) {
    Plan.Between between = plan.sessions().get(number);
    SimHost client = clients.get(between.client());
    String server = "server" + between.server();
    Session session = clientOf(client).session(server + ":" + SimWorld.PORT);
    session.serve(GuideRpc.bind(new GuideHandler(journal, streams, client)));
    session.objects().onPush(moves);
    // Of the client's present process, by its address.
    String name = "session%d %s(%s)-%s".formatted(number, client, client.net().address(), server);
    return new SimSession(name, client, server, session, WorksRpc.async(session));
  }

  private void opened(Session session) {
    String client = URI.create(session.peer().address()).getHost();
    Objects.requireNonNull(upgradeWatches.get(client), client).opened();
    if (!journal.isExempt(session.peer())) {
      session.objects().onPush(moves);
    }
  }

  private void watch(SimHost host) {
    host.fabric().watch(new DeviceWatch(journal, host.name()));
  }

  private void lay(SimHost client, SimHost server) {
    world
        .line(client, server)
        .normal(
            Duration.ofNanos(plan.latencyNanos()),
            Duration.ofNanos(plan.latencyNanos() / 3),
            plan.rate(),
            BUFFER_BYTES);
  }

  private static VerbenaClient clientOf(SimHost host) {
    VerbenaClient client = host.client();
    if (client == null) {
      throw new IllegalStateException(host + " has no client");
    }
    return client;
  }

  private void startServer(String name, HostSettings settings) {
    SimHost[] host = new SimHost[1];
    String incarnation = name + "#" + ++incarnations;
    WorksHandler handler =
        new WorksHandler(
            world.scheduler(), journal, callbacks, moves, streams, () -> host[0], incarnation);
    host[0] =
        world.startServer(
            name,
            settings,
            builder -> {
              builder.serve(WorksRpc.bind(handler)).onSession(this::opened);
              if (plan.hasRegions()) {
                builder.serve(StockRpc.bind(reaches.stock(() -> host[0])));
              }
            });
    watch(host[0]);
    servers.put(name, host[0]);
    clients.forEach(client -> lay(client, host[0]));
  }

  @Override
  public SimHost host(String name) {
    SimHost host = servers.get(name);
    if (host == null) {
      throw new IllegalStateException("no server " + name);
    }
    return host;
  }

  @Override
  public SimSession session(int place) {
    return sessions.get(place);
  }

  @Override
  public void restartClient(SimHost old) {
    int number = clients.indexOf(old);
    processIsGone(old);
    world.kill(old);
    clients.set(number, startClient(number));
    for (int i = 0; i < sessions.size(); i++) {
      if (plan.sessions().get(i).client() == number) {
        sessions.set(i, openSession(i));
      }
    }
  }

  @Override
  public void restartServer(String name, long after) {
    SimHost old = host(name);
    if (!old.hasEnded()) {
      restartServer(name, old, after);
    }
  }

  private void restartServer(String name, SimHost old, long after) {
    if (host(name) != old) {
      return; // another is in its place
    }
    processIsGone(old);
    world.kill(old);
    startAgain(name, after);
  }

  /** First: what unwinds is nobody's any more. */
  private void processIsGone(SimHost old) {
    journal.processIsGone(old);
    book.processIsGone(old);
    regionBook.processIsGone(old);
  }

  private void startAgain(String name, long after) {
    starting++;
    Agenda.Entry _ =
        agenda.after(
            after,
            () -> {
              starting--;
              trace.say(() -> "%s is started again".formatted(name));
              startServer(name, host(name).settingsOfNext());
            });
  }

  @Override
  public void drainServer(String name, long after) {
    SimHost old = host(name);
    VerbenaServer server = old.server();
    if (server == null || old.hasEnded()) {
      return;
    }
    starting++;
    boolean[] ends = new boolean[1];
    CompletionStage<Void> _ = server.drain().thenRun(() -> ends[0] = true);
    world
        .scheduler()
        .watch(
            () -> {
              if (ends[0]) {
                journal.processEnds(old);
                world.end(old);
                ends[0] = false;
              }
              boolean gone = old.hasEnded();
              if (gone) {
                starting--;
                restartServer(name, old, after);
              }
              return gone;
            });
  }

  @Override
  public void met(FaultKind fault, SimHost client, SimHost server) {
    book.met(fault, client, server);
  }

  // ---- the steps ----

  private void schedule() {
    if (mischief != null) {
      make(mischief);
    }
    for (Step step : plan.steps()) {
      stepsLeft++;
      Agenda.Entry _ =
          agenda.at(
              step.at(),
              () -> {
                stepsLeft--;
                take(step);
              });
    }
  }

  /** The last client does it from the start on; what it does is not judged. */
  private void make(Mischief made) {
    SimHost host = clients.getLast();
    Mischief.Culprit culprit =
        new Mischief.Culprit(
            agenda,
            host,
            sessions.stream().filter(session -> session.client() == host).toList(),
            new SplittableRandom(plan.seed()),
            forged);
    stepsLeft++;
    made.begin(culprit);
    Agenda.Entry _ =
        agenda.after(
            MISCHIEF_NANOS,
            () -> {
              stepsLeft--;
              made.end(culprit);
            });
  }

  private void take(Step step) {
    switch (step) {
      case Step.Call call -> calls.start(sessions.get(call.session()), call);
      case Step.Move move -> moves.start(sessions.get(move.session()), move);
      case Step.Stream stream -> streams.start(sessions.get(stream.session()), stream);
      case Step.Expose expose -> reaches.expose(sessions.get(expose.session()), expose);
      case Step.Reach reach -> reaches.reach(sessions.get(reach.session()), reach);
      case Step.Fault fault -> faults.befall(fault);
    }
  }

  // ---- the end ----

  /** Each session answers once more: a first call may find that its server is another now. */
  private void lastCalls() {
    for (SimSession session : sessions) {
      String failure = "";
      boolean answered = false;
      for (int attempt = 1; attempt <= 4 && !answered; attempt++) {
        long op = -(100L * sessions.indexOf(session) + attempt);
        long timeout = plan.clients().getFirst().limits().defaultTimeout().toNanos();
        SimHost client = session.client();
        var entry = journal.called(op, session.name(), client, Step.CallKind.COUNT, timeout, false);
        CompletableFuture<Long> last = session.works().count(op).toCompletableFuture();
        CompletableFuture<Long> _ =
            last.whenComplete(
                (result, problem) ->
                    journal.ended(
                        entry,
                        problem != null || result == WorksHandler.answer(op),
                        problem,
                        true));
        if (!until(PATIENCE, last::isDone)) {
          return;
        }
        answered = !last.isCompletedExceptionally();
        failure = answered ? "" : String.valueOf(last.exceptionNow().getMessage());
        if (!answered) {
          until(BETWEEN_LAST_CALLS, () -> false); // handlers whose callers have left still run
        }
      }
      if (!answered) {
        journal.broken(
            "sessions work again when all is mended", session.name(), 0, "four failed: " + failure);
      }
    }
  }

  /** Ends find that their peers break the rules where these do, and nowhere else. */
  private void manners() {
    long broken = 0;
    for (SimHost host : world.hosts()) {
      broken += host.rdma() == null ? 0 : host.rdma().counters().brokenRules();
      broken += host.shm() == null ? 0 : host.shm().figure("shm rules broken by peers");
    }
    if (broken > 0 && forged.get() == 0) {
      journal.broken(
          "ends keep to the rules of the wire",
          "",
          0,
          broken + " better links were closed since their peer broke them");
    } else if (broken == 0 && forged.get() > 0) {
      journal.broken("what is forged is refused", "", 0, forged + " immediates were forged");
    }
  }

  /** All that was taken was given back. */
  private void balance() {
    List<SimHost> all = world.hosts();
    boolean even = until(40 * SECOND, () -> all.stream().allMatch(host -> owed(host).isEmpty()));
    if (!even && isClean()) {
      String owed =
          all.stream().flatMap(host -> owed(host).stream()).collect(Collectors.joining("; "));
      journal.broken("what is taken is given back", "", 0, owed);
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
    if (sent > book.sentBy(host)) {
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
      owed.add(host + ": " + shared + " bytes of what sessions share");
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

  /** Ends every process in order: nothing stays registered, and no object of a device is left. */
  private void endAll() {
    List<SimHost> all = List.copyOf(world.hosts());
    for (SimSession session : sessions) {
      session.session().close();
    }
    book.closing();
    boolean _ = world.scheduler().run(() -> false, agenda.now() + SECOND);
    streamsEnd("streams end with their session");
    regionsEnd(true);
    all.forEach(world::end);
    if (!until(PATIENCE, () -> all.stream().allMatch(SimHost::hasEnded))) {
      if (isClean()) {
        journal.broken("processes end in order", "", 0, "some have not ended");
      }
      return;
    }
    for (SimHost host : all) {
      long pinned = host.rdma() == null ? 0 : host.rdma().pinnedBytes();
      pinned += host.shm() == null ? 0 : host.shm().figure("shm mapped bytes");
      if (pinned != 0 || host.fabric().objects() != 0) {
        journal.broken(
            "what is taken is given back",
            "",
            0,
            "%s: %d bytes registered or mapped, %d verbs objects"
                .formatted(host, pinned, host.fabric().objects()));
      }
    }
  }
}
