package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionPath;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.testkit.Seed;
import io.verbena.verbs.fabric.FabricAdapter;
import io.verbena.verbs.fabric.Personality;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A session takes every adapter that its two ends have: objects are spread over all, calls ride one
 * of them, and the loss of one fails nothing. Each host has two, in networks of their own.
 */
final class RailsTest extends Adapters {
  private static final long OBJECT_BYTES = 16L << 20;
  private static final long SLOW = 2_000_000;
  private static final long FAST = 3 * SLOW;

  private final List<String> executed = new ArrayList<>();
  private FabricAdapter eastSecond;
  private FabricAdapter westSecond;

  @SuppressWarnings("NullAway.Init") // by world
  RailsTest() {}

  @BeforeParameterizedClassInvocation
  static void itsFirstLinkLives(Personality adapter) {
    assumeOfLinks(adapter);
  }

  private RdmaWorld world(RdmaSettings settings) {
    return world(settings, true);
  }

  private RdmaWorld world(RdmaSettings settings, boolean both) {
    long seed = Seed.random("rails").nextLong();
    return new RdmaWorld(
            seed,
            device(),
            settings,
            server -> server.serve(Echo.bind(executed::add)),
            client -> {},
            verbs -> {
              eastSecond = verbs.east.addAdapter(FabricWorld.address("10.9.1.1"));
              if (both) {
                westSecond = verbs.west.addAdapter(FabricWorld.address("10.9.1.2"));
              }
            })
        .upgraded();
  }

  private RdmaWorld world() {
    return world(RdmaSettings.DEFAULT);
  }

  private static MemorySegment object(RdmaWorld world, long bytes) {
    MemorySegment object = world.memory(bytes);
    Random random = new Random(bytes);
    for (long at = 0; at + Long.BYTES <= bytes; at += 1024) {
      object.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
    return object;
  }

  /** Pushes an object from the client's end into memory of the server's. */
  private static CompletableFuture<Received> push(RdmaWorld world, Source source, Landing landing) {
    world.accepted.objects().onPush(offer -> landing);
    return world.session.objects().push("large", source).result().toCompletableFuture();
  }

  private static void whole(RdmaWorld world, CompletableFuture<Received> push) {
    world.world.runUntil(push::isDone);
    push.join().close();
  }

  private static void pushWhole(RdmaWorld world, long bytes) {
    MemorySegment object = object(world, bytes);
    MemorySegment landing = world.memory(bytes);
    whole(world, push(world, Source.of(object), Landing.of(landing)));
    assertThat(landing.mismatch(object)).isEqualTo(-1);
  }

  /** Has the session take all of its adapters. */
  private static RdmaWorld withRails(RdmaWorld world) {
    pushWhole(world, OBJECT_BYTES);
    assertThat(world.east.counters().linksOpened()).isEqualTo(2);
    assertThat(world.session.path().toString())
        .isEqualTo("rdma (fab1 at 10.9.0.1 + fab3 at 10.9.1.1)");
    return world;
  }

  private static String call(RdmaWorld world, String text) {
    return world.world.result(Echo.call(world.session, text));
  }

  @Test
  void aSessionOfCallsAndSmallObjectsHasOneLink() {
    try (RdmaWorld world = world()) {
      call(world, "small");
      pushWhole(world, 4 << 20);
      assertThat(world.east.counters().linksOpened()).isEqualTo(1);
    }
  }

  @Test
  void aLargeObjectTakesBothAdaptersEitherWay() {
    try (RdmaWorld world = withRails(world())) {
      long before = eastSecond.carried();
      long first = world.verbs.east.adapter().carried();
      pushWhole(world, OBJECT_BYTES);
      assertThat(eastSecond.carried() - before).isBetween(OBJECT_BYTES / 4, OBJECT_BYTES * 3 / 4);
      assertThat(world.verbs.east.adapter().carried() - first).isGreaterThan(OBJECT_BYTES / 4);
      long back = westSecond.carried();
      MemorySegment object = object(world, OBJECT_BYTES);
      MemorySegment landing = world.memory(OBJECT_BYTES);
      world.session.objects().onPush(offer -> Landing.of(landing));
      world.whole(world.accepted.objects().push("back", Source.of(object)));
      assertThat(landing.mismatch(object)).isEqualTo(-1);
      assertThat(westSecond.carried() - back).isGreaterThan(OBJECT_BYTES / 4);
    }
  }

  /** The time is the fabric's own, so the share is the same on any machine. */
  @Test
  void adaptersOfOneToThreeBringNearlyTheSum() {
    try (RdmaWorld world = withRails(world())) {
      world.verbs.east.adapter().limit(SLOW);
      eastSecond.limit(FAST);
      pushWhole(world, OBJECT_BYTES); // learns how fast they are
      MemorySegment object = object(world, OBJECT_BYTES);
      MemorySegment landing = world.memory(OBJECT_BYTES);
      CompletableFuture<Received> push = push(world, Source.of(object), Landing.of(landing));
      long began = world.verbs.nanoTime();
      world.world.runUntil(push::isDone);
      double seconds = (world.verbs.nanoTime() - began) / 1e9;
      push.join().close();
      assertThat(OBJECT_BYTES / seconds / (SLOW + FAST)).as("share of the sum").isGreaterThan(0.85);
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void filesAndWhatGoesIntoThemAreSpread(boolean fromFile, @TempDir Path folder)
      throws IOException {
    try (RdmaWorld world = withRails(world())) {
      MemorySegment object = object(world, OBJECT_BYTES);
      Path file = folder.resolve("object");
      long before = eastSecond.carried();
      if (fromFile) {
        Files.write(file, object.toArray(ValueLayout.JAVA_BYTE));
        MemorySegment landing = world.memory(OBJECT_BYTES);
        whole(world, push(world, Source.file(file), Landing.of(landing)));
        assertThat(landing.mismatch(object)).isEqualTo(-1);
      } else {
        whole(world, push(world, Source.of(object), Landing.file(file)));
        assertThat(MemorySegment.ofArray(Files.readAllBytes(file)).mismatch(object)).isEqualTo(-1);
      }
      assertThat(eastSecond.carried() - before).isGreaterThan(OBJECT_BYTES / 8);
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void anAdapterThatDiesHasItsPiecesGoByTheOther(boolean first) {
    try (RdmaWorld world = withRails(world())) {
      List<SessionPath> paths = pathsOf(world.session);
      MemorySegment object = object(world, OBJECT_BYTES);
      MemorySegment landing = world.memory(OBJECT_BYTES);
      FabricAdapter dies = first ? world.verbs.east.adapter() : eastSecond;
      FabricAdapter lives = first ? eastSecond : world.verbs.east.adapter();
      long until = dies.carried() + OBJECT_BYTES / 16;
      world.accepted.objects().onPush(offer -> Landing.of(landing));
      Transfer pushing = world.session.objects().push("large", Source.of(object));
      CompletableFuture<Received> push = pushing.result().toCompletableFuture();
      world.world.runUntil(() -> dies.carried() > until);
      long before = lives.carried();
      long left = OBJECT_BYTES - pushing.progress().bytes();
      dies.unplug();
      CompletableFuture<String> call = Echo.call(world.session, "meanwhile");
      whole(world, push);
      world.world.runUntil(call::isDone);
      assertThat(call).isCompletedWithValue("meanwhile");
      assertThat(landing.mismatch(object)).isEqualTo(-1);
      assertThat(lives.carried() - before).as("by the other").isGreaterThan(left / 2);
      assertThat(world.session.path().link()).isEqualTo("rdma");
      assertThat(world.accepted.path().link()).isEqualTo("rdma");
      assertThat(paths).extracting(SessionPath::link).doesNotContain("mem");
      assertThat(executed).containsOnlyOnce("meanwhile");
      assertThat(call(world, "after")).isEqualTo("after");
    }
  }

  /** Reads in order end at the last missing byte. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void whatIsReadInOrderArrivesThoughAnAdapterDies(boolean first, @TempDir Path folder)
      throws IOException {
    try (RdmaWorld world = withRails(world())) {
      MemorySegment object = object(world, OBJECT_BYTES);
      Path file = folder.resolve("sent");
      Files.write(file, object.toArray(ValueLayout.JAVA_BYTE));
      FabricAdapter dies = first ? world.verbs.east.adapter() : eastSecond;
      for (Source source : List.of(Source.file(file), generated(object))) {
        Path arrived = folder.resolve("arrived");
        long until = dies.carried() + OBJECT_BYTES / 16;
        CompletableFuture<Received> push = push(world, source, Landing.file(arrived));
        world.world.runUntil(() -> dies.carried() > until || push.isDone());
        dies.unplug();
        whole(world, push);
        assertThat(MemorySegment.ofArray(Files.readAllBytes(arrived)).mismatch(object))
            .isEqualTo(-1);
        Files.delete(arrived);
        dies.plugIn();
        world.world.pass(Duration.ofSeconds(15));
        pushWhole(world, OBJECT_BYTES);
      }
    }
  }

  private static Source generated(MemorySegment object) {
    return Source.generator(
        object.byteSize(),
        (chunk, offset) -> MemorySegment.copy(object, offset, chunk, 0, chunk.byteSize()));
  }

  /** Remains of a session would count for its next life. */
  @Test
  void whenTheFirstLinkAndTheBetterOneAreLostTheRailsGoToo() {
    try (RdmaWorld world = withRails(world())) {
      URI first = URI.create(world.world.address());
      world.world.network().drop(first, "the cable is out");
      world.world.network().cut(first);
      world.verbs.east.removeDevice();
      CompletableFuture<String> call = Echo.call(world.session, "goes on");
      world.world.pass(Duration.ofSeconds(1));
      world.world.network().heal(first);
      world.world.runUntil(call::isDone);
      assertThat(call).isCompletedWithValue("goes on");
      world.world.runUntil(() -> world.session.path().link().equals("rdma"));
      pushWhole(world, OBJECT_BYTES);
      RdmaCounters.Snapshot now = world.east.counters();
      assertThat(now.linksOpened() - now.linksClosed()).isEqualTo(1);
    }
  }

  private static List<SessionPath> pathsOf(Session session) {
    List<SessionPath> paths = new ArrayList<>();
    session.listen(
        new SessionListener() {
          @Override
          public void pathChanged(Session changed, SessionPath path) {
            paths.add(path);
          }
        });
    return paths;
  }

  @Test
  void onlyWhenAllAreGoneTheSessionGoesBack() {
    try (RdmaWorld world = withRails(world())) {
      eastSecond.unplug();
      world.verbs.east.removeDevice();
      assertThat(call(world, "over the first link")).isEqualTo("over the first link");
      world.world.runUntil(() -> world.session.path().link().equals("mem"));
      pushWhole(world, OBJECT_BYTES);
      eastSecond.plugIn();
      world.world.runUntil(() -> world.session.path().link().equals("rdma"));
      pushWhole(world, OBJECT_BYTES);
    }
  }

  @Test
  void anAdapterThatComesBackIsTakenAgain() {
    try (RdmaWorld world = withRails(world())) {
      world.verbs.east.removeDevice();
      assertThat(call(world, "after")).isEqualTo("after");
      world.verbs.east.adapter().plugIn();
      world.world.pass(Duration.ofSeconds(6));
      pushWhole(world, OBJECT_BYTES);
      long before = world.verbs.east.adapter().carried();
      pushWhole(world, OBJECT_BYTES);
      assertThat(world.verbs.east.adapter().carried() - before).isGreaterThan(OBJECT_BYTES / 4);
    }
  }

  /** Each request costs the server an offer, which waits until it expires. */
  @Test
  void anAdapterThatCannotBeReachedIsAskedForLessAndLessOften() {
    assumeTrue(adapter == Personality.MLX5, "it takes long, and no device is asked");
    try (RdmaWorld world = world()) {
      world.verbs.west.refuseConnections(true);
      pushEverySecond(world, 18); // asks after 0, 1, 3, 7 and 15 of them, and then after 31
      world.verbs.west.refuseConnections(false);
      pushEverySecond(world, 6);
      assertThat(world.east.counters().linksOpened()).isEqualTo(1);
      world.world.pass(Duration.ofSeconds(20));
      pushWhole(world, OBJECT_BYTES);
      assertThat(world.east.counters().linksOpened()).isEqualTo(2);
    }
  }

  private static void pushEverySecond(RdmaWorld world, int times) {
    for (int i = 0; i < times; i++) {
      pushWhole(world, 9 << 20);
      world.world.pass(Duration.ofSeconds(1));
    }
  }

  @Test
  void oneIsEnoughWhereItIsSaid() {
    try (RdmaWorld world = world(RdmaSettings.DEFAULT.withRails(1))) {
      pushWhole(world, OBJECT_BYTES);
      assertThat(world.east.counters().linksOpened()).isEqualTo(1);
    }
  }

  @Test
  void anEndWithOneAdapterHasOneLink() {
    try (RdmaWorld world = world(RdmaSettings.DEFAULT, false)) {
      pushWhole(world, OBJECT_BYTES);
      assertThat(world.east.counters().linksOpened()).isEqualTo(1);
    }
  }

  /** Adapters of both ends come and go while calls and objects are under way both ways. */
  @Test
  void whateverHappensToAdaptersNothingFailsAndNothingComesTwice() {
    Random random = Seed.random("adapters that come and go");
    try (RdmaWorld world = withRails(world())) {
      List<FabricAdapter> adapters =
          List.of(world.verbs.east.adapter(), eastSecond, world.verbs.west.adapter(), westSecond);
      List<CompletableFuture<String>> calls = new ArrayList<>();
      MemorySegment object = object(world, OBJECT_BYTES / 4);
      MemorySegment there = world.memory(object.byteSize());
      MemorySegment back = world.memory(object.byteSize());
      List<Transfer> landed = new ArrayList<>();
      world.session.objects().onPush(offer -> Landing.of(back).watched(landed::add));
      for (int round = 0; round < 6; round++) {
        there.fill((byte) 0);
        back.fill((byte) 0);
        List<CompletableFuture<Received>> pushes =
            List.of(
                push(world, Source.of(object), Landing.of(there).watched(landed::add)),
                world
                    .accepted
                    .objects()
                    .push("back", Source.of(object))
                    .result()
                    .toCompletableFuture());
        while (!pushes.stream().allMatch(CompletableFuture::isDone)) {
          if (random.nextInt(3000) == 0) {
            FabricAdapter one = adapters.get(random.nextInt(adapters.size()));
            if (one.deviceName().isEmpty()) {
              one.plugIn();
            } else {
              one.unplug();
            }
          }
          if (random.nextInt(200) == 0) {
            calls.add(Echo.call(world.session, "call " + calls.size()));
          }
          world.step();
        }
        pushes.forEach(push -> push.join().close());
        // The sender knows first. The memory is used until the receiver knows, too.
        world.world.runUntil(() -> landed.stream().allMatch(RailsTest::isOver));
        assertThat(there.mismatch(object)).isEqualTo(-1);
        assertThat(back.mismatch(object)).isEqualTo(-1);
      }
      world.world.runUntil(() -> calls.stream().allMatch(CompletableFuture::isDone));
      calls.forEach(CompletableFuture::join);
      assertThat(executed).doesNotHaveDuplicates().hasSameSizeAs(calls);
    }
  }

  private static boolean isOver(Transfer transfer) {
    return transfer.result().toCompletableFuture().isDone();
  }
}
