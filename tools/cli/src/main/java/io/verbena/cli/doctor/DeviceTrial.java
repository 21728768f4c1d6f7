package io.verbena.cli.doctor;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.cli.UpgradeWait;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.DeviceChoice;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaFailureText;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.ext.VerbsProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sessions of this process with itself over one device, which show what a link does there: calls,
 * objects, regions, a reader that stands still, and the ends of links. It changes nothing on the
 * host, and takes two minutes at most. A step that fails is a finding, and ends the trial.
 */
final class DeviceTrial {
  /** Of a slow machine, such as an emulated one, too. */
  private static final Duration STEP = Duration.ofSeconds(20);

  /** Of all steps; the rest of two minutes is for the ends of links. */
  private static final Duration STEPS = Duration.ofSeconds(100);

  private static final String REPORT =
      "report this, with the file that 'verbena doctor --try --report FILE' writes";
  private static final int CALLS = 2_000;
  private static final int LINKS = 20;
  private static final long OBJECT_BYTES = 16 << 20;

  private final VerbsProvider verbs;
  private final String device;
  private final RdmaUpgradeProvider rdma;
  private final List<Finding> findings = new ArrayList<>();
  private final BlockingQueue<Session> accepted = new LinkedBlockingQueue<>();
  private final Duration all;
  private final long end;

  private static final class Echo implements Trial {
    @Override
    public byte[] echo(byte[] bytes) {
      return bytes;
    }

    @Override
    public int standStill(int millis) {
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return millis;
    }
  }

  DeviceTrial(VerbsProvider verbs, RdmaSettings settings, String device) {
    this(verbs, settings, device, STEPS);
  }

  /** Makes a trial whose steps take at most a time together. */
  DeviceTrial(VerbsProvider verbs, RdmaSettings settings, String device, Duration all) {
    this.all = all;
    this.end = System.nanoTime() + all.toNanos();
    this.verbs = verbs;
    this.device = device;
    this.rdma =
        new RdmaUpgradeProvider(
            verbs, settings.withDevice(DeviceChoice.of(device)), NanoClock.SYSTEM);
  }

  /** Runs every step, or those up to the first that fails. */
  Section run() {
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .connectTimeout(STEP)
                .upgrades(rdma)
                .onSession(accepted::add)
                .serve(TrialRpc.bind(new Echo()))
                .start();
        VerbenaClient client =
            VerbenaClient.builder()
                .connectTimeout(STEP)
                .upgrades(rdma)
                .path(PathPolicy.REQUIRE_RDMA)
                .build();
        Session session = client.connect(server.address().toString())) {
      boolean _ = steps(server, client, session);
    } catch (Exception | LinkageError e) {
      findings.add(Finding.missing("a session", why(e), REPORT));
    }
    return new Section("Trial of " + device + " by " + verbs.name(), findings);
  }

  private boolean steps(VerbenaServer server, VerbenaClient client, Session session) {
    return tries("a link", () -> link(session))
        && tries("calls", () -> calls(session))
        && tries("large values", () -> values(session))
        && tries("objects", () -> objects(session))
        && tries("regions", () -> regions(session))
        && tries("a still reader", () -> stillReader(session))
        && tries("links", () -> links(server, client))
        && tries("counters", this::counters);
  }

  private boolean tries(String what, Callable<String> step) {
    long start = System.nanoTime();
    FutureTask<String> run = new FutureTask<>(step);
    Thread _ = Thread.ofPlatform().daemon().name("verbena-trial").start(run);
    try {
      String detail = run.get(end - start, TimeUnit.NANOSECONDS);
      long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
      findings.add(Finding.ok(what, detail + ", " + millis + " ms"));
      return true;
    } catch (ExecutionException e) {
      findings.add(Finding.missing(what, why(Objects.requireNonNullElse(e.getCause(), e)), REPORT));
    } catch (TimeoutException e) {
      boolean _ = run.cancel(true);
      String late = "not over when the trial had taken " + all.toMillis() + " ms";
      findings.add(Finding.missing(what, late, REPORT));
    } catch (InterruptedException e) {
      boolean _ = run.cancel(true);
      Thread.currentThread().interrupt();
      findings.add(Finding.missing(what, "interrupted", REPORT));
    }
    return false;
  }

  private static String why(Throwable failure) {
    return failure instanceof RpcException rpc
        ? String.valueOf(rpc.getMessage())
        : RdmaFailureText.of(failure);
  }

  private static String link(Session session) throws InterruptedException {
    UpgradeWait.await(session, STEP);
    if (!session.path().link().equals("rdma")) {
      throw new IllegalStateException("the session stays on " + session.path());
    }
    return session.path().toString();
  }

  private static String calls(Session session) {
    Trial trial = TrialRpc.client(session);
    for (int i = 0; i < CALLS; i++) {
      echo(trial, i % 4096);
    }
    return CALLS + " calls of 0 to " + (CALLS - 1) + " bytes";
  }

  private static void echo(Trial trial, int length) {
    byte[] sent = new byte[length];
    for (int i = 0; i < length; i++) {
      sent[i] = (byte) (i + length);
    }
    if (!Arrays.equals(trial.echo(sent), sent)) {
      throw new IllegalStateException(length + " bytes came back changed");
    }
  }

  private static String values(Session session) {
    Trial trial = TrialRpc.client(session);
    for (int length = 4 << 10; length <= 4 << 20; length *= 2) {
      echo(trial, length);
      echo(trial, length + 1);
    }
    return "values of 4 KiB to 4 MiB, both ways";
  }

  private String objects(Session session) throws Exception {
    accepted().objects().onPush(offer -> Landing.pooled(offer.length()));
    TransferOptions checked = TransferOptions.DEFAULT.withChecksum();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment object = arena.allocate(OBJECT_BYTES, 4096);
      for (long at = 0; at < OBJECT_BYTES; at += Long.BYTES) {
        object.set(ValueLayout.JAVA_LONG, at, at * 0x9e37_79b9_7f4a_7c15L);
      }
      for (long length : new long[] {1, 64 << 10, OBJECT_BYTES}) {
        Source source = Source.of(object.asSlice(0, length));
        await(session.objects().push("trial", source, checked).result()).close();
      }
    }
    return "objects up to " + (OBJECT_BYTES >> 20) + " MiB, with checksums";
  }

  private Session accepted() throws InterruptedException {
    Session first = accepted.poll(STEP.toSeconds(), TimeUnit.SECONDS);
    if (first == null) {
      throw new IllegalStateException("the server knows of no session");
    }
    accepted.add(first);
    return first;
  }

  private String regions(Session session) throws Exception {
    int rounds = 500;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4096, 4096);
      MemorySegment mine = arena.allocate(4096, 4096);
      ExposedRegion exposed =
          accepted().regions().expose(memory, Regions.READ | Regions.WRITE, Duration.ofMinutes(5));
      RegionRef ref = exposed.ref();
      for (long i = 1; i <= rounds; i++) {
        mine.set(ValueLayout.JAVA_LONG, 0, i);
        await(session.regions().put(ref, 0, mine.asSlice(0, 64)));
        mine.set(ValueLayout.JAVA_LONG, 64, 0);
        await(session.regions().get(ref, 0, mine.asSlice(64, 64)));
        if (mine.get(ValueLayout.JAVA_LONG, 64) != i) {
          throw new IllegalStateException("what was put is not what is got");
        }
      }
      exposed.close();
      await(exposed.ended());
    }
    return rounds + " puts and gets of 64 bytes";
  }

  /** Credits run out, and the path is probed, while the server's loop stands still. */
  private static String stillReader(Session session) throws Exception {
    TrialRpc.Async trial = TrialRpc.async(session);
    CompletableFuture<?> still = trial.standStill(600).toCompletableFuture();
    List<CompletableFuture<byte[]>> waiting = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      waiting.add(trial.echo(new byte[2000]).toCompletableFuture());
    }
    await(still);
    for (CompletableFuture<byte[]> one : waiting) {
      await(one);
    }
    if (!session.path().link().equals("rdma")) {
      throw new IllegalStateException("the link was lost: " + session.path());
    }
    return waiting.size() + " calls behind one of 600 ms that holds the link up";
  }

  private static String links(VerbenaServer server, VerbenaClient client) throws Exception {
    for (int i = 0; i < LINKS; i++) {
      try (Session next = client.connect(server.address().toString())) {
        String _ = link(next);
        echo(TrialRpc.client(next), 100);
      }
    }
    return LINKS + " sessions opened and closed";
  }

  private String counters() throws InterruptedException {
    RdmaCounters.Snapshot now = rdma.counters();
    if (now.undrained() + now.brokenRules() > 0) {
      throw new IllegalStateException(
          now.undrained() + " links undrained, " + now.brokenRules() + " rules broken");
    }
    return now.linksOpened() + " links, each drained, no rule broken";
  }

  private static <T> T await(CompletionStage<T> outcome) throws Exception {
    return outcome.toCompletableFuture().get(STEP.toSeconds(), TimeUnit.SECONDS);
  }
}
