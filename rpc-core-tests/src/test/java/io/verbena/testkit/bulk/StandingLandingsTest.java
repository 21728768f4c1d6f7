package io.verbena.testkit.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.StandingOptions;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.testkit.Seed;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What fits a landing that stands open comes there at once; whatever happens, once and whole. */
class StandingLandingsTest {
  private static final int COUNT = 4;

  /** Two chunks. */
  private static final int BYTES = 2 * BulkWorld.CHUNK;

  /** More steps than a push takes. */
  private static final int STEPS = 25;

  /** A server that takes pushes, and what it took by name. */
  private static final class World implements AutoCloseable, PushHandler {
    final Map<String, byte[]> taken = new HashMap<>();
    final BulkWorld bulk;
    Function<Offer, @Nullable Landing> where = offer -> Landing.pooled(offer.length());
    final List<Session> accepted = new ArrayList<>();
    private @Nullable Landing given;
    private final long standing;
    private int pushes;

    World() {
      this(false, COUNT, BYTES);
    }

    World(boolean upgrades, int count, int bytes) {
      standing = (long) count * bytes;
      bulk =
          new BulkWorld(
              upgrades,
              s ->
                  s.standingLandings(count, bytes)
                      .onSession(
                          session -> {
                            accepted.add(session);
                            session.objects().onPush(this);
                          }));
      bulk.open();
      bulk.world.settle();
    }

    @Override
    public @Nullable Landing offered(Offer offer) {
      given = where.apply(offer);
      return given;
    }

    @Override
    public void received(Offer offer, Received received) {
      boolean elsewhere = given instanceof Landing.InFile || given instanceof Landing.InChunks;
      byte[] bytes = elsewhere ? new byte[0] : received.memory().toArray(ValueLayout.JAVA_BYTE);
      assertThat(taken.put(offer.name(), bytes)).as("before").isNull();
      received.close();
    }

    BulkStats stats() {
      return bulk.server.bulkStats();
    }

    Push push(int length) {
      return push(length, TransferOptions.DEFAULT);
    }

    Push push(int length, TransferOptions options) {
      String name = "push " + ++pushes;
      MemorySegment bytes = bulk.bytes(length, pushes);
      return new Push(
          name,
          bytes.toArray(ValueLayout.JAVA_BYTE),
          bulk.session.objects().push(name, Source.of(bytes), options));
    }

    void assertArrived(Push push) {
      assertThat(bulk.await(push.transfer).length()).isEqualTo(push.bytes.length);
      bulk.world.settle();
      assertThat(taken.get(push.name)).isEqualTo(push.bytes);
    }

    /** Checks that as many stand open as ever, and that they serve. */
    void assertTheyStand() {
      bulk.world.settle();
      assertThat(stats().standing()).isEqualTo(standing);
      for (int i = 0; i < 2 * COUNT; i++) {
        long before = stats().landedAtOnce();
        assertArrived(push(100 + i));
        assertThat(stats().landedAtOnce()).isEqualTo(before + 1);
      }
      assertThat(stats().memoryInUse()).isEqualTo(stats().standing());
      assertThat(stats().quarantined()).isZero();
    }

    @Override
    public void close() {
      bulk.session.close();
      bulk.assertNothingLeft();
      assertThat(stats().standing()).isZero();
      bulk.close();
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Push(String name, byte[] bytes, Transfer transfer) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 4095, 4096, 4097, BYTES - 1, BYTES})
  void whatFitsLandsThere(int length) {
    try (World world = new World()) {
      world.assertArrived(world.push(length));
      assertThat(world.stats().landedAtOnce()).isEqualTo(1);
      world.assertArrived(world.push(length, TransferOptions.DEFAULT.withChecksum()));
      assertThat(world.stats().landedAtOnce()).isEqualTo(2);
      assertThat(world.stats().bytesReceived()).isEqualTo(2L * length);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, BYTES + 1, 300_000})
  void whatDoesNotComesAsEver(int length) {
    try (World world = new World()) {
      world.assertArrived(world.push(length));
      assertThat(world.stats().landedAtOnce()).isZero();
      world.assertTheyStand();
    }
  }

  @Test
  void manyInARowTakeTurnsInAFew() {
    try (World world = new World()) {
      for (int i = 1; i <= 50; i++) {
        world.assertArrived(world.push(i * 100));
      }
      assertThat(world.stats().landedAtOnce()).isEqualTo(50);
      world.assertTheyStand();
    }
  }

  @Test
  void moreAtOnceThanThereAreLandingsComeAsEver() {
    try (World world = new World()) {
      List<Push> all = new ArrayList<>();
      for (int i = 0; i < 10 * COUNT; i++) {
        all.add(world.push(BYTES - i));
      }
      all.forEach(world::assertArrived);
      assertThat(world.stats().landedAtOnce()).isBetween((long) COUNT, 10L * COUNT - 1);
      world.assertTheyStand();
    }
  }

  @Test
  void everySourceReachesEveryDestination(@TempDir Path directory) throws IOException {
    try (World world = new World()) {
      MemorySegment bytes = world.bulk.bytes(BYTES, 3);
      byte[] expected = bytes.toArray(ValueLayout.JAVA_BYTE);
      Path from = Files.write(directory.resolve("source"), expected);
      Path into = directory.resolve("landed");
      MemorySegment room = world.bulk.room(BYTES);
      List<byte[]> chunks = new ArrayList<>();
      List<Source> sources =
          List.of(
              Source.of(bytes),
              Source.of(expected),
              Source.file(from),
              Source.generator(
                  BYTES, (chunk, at) -> chunk.copyFrom(bytes.asSlice(at, chunk.byteSize()))),
              Source.gathered(Source.of(bytes.asSlice(0, 99)), Source.file(from, 99, BYTES - 99)));
      int pushes = 0;
      for (Source source : sources) {
        for (boolean checked : new boolean[] {false, true}) {
          for (Landing landing :
              List.of(
                  Landing.pooled(BYTES),
                  Landing.of(room),
                  Landing.file(into),
                  Landing.chunks(
                      (chunk, at) -> chunks.add(chunk.toArray(ValueLayout.JAVA_BYTE))))) {
            world.where = offer -> landing;
            room.fill((byte) 0);
            TransferOptions options =
                checked ? TransferOptions.DEFAULT.withChecksum() : TransferOptions.DEFAULT;
            String name = "push " + ++pushes;
            world.bulk.await(world.bulk.session.objects().push(name, source, options));
            world.bulk.world.settle();
            byte[] found =
                switch (landing) {
                  case Landing.InFile _ -> Files.readAllBytes(into);
                  case Landing.InChunks _ -> chunks.removeLast();
                  default -> world.taken.get(name);
                };
            assertThat(found).isEqualTo(expected);
          }
        }
      }
      assertThat(world.stats().landedAtOnce()).isEqualTo(pushes);
    }
  }

  @Test
  void bothEndsMayHaveThem() {
    try (World world = new World()) {
      BulkWorld bulk = world.bulk;
      VerbenaClient client =
          bulk.world.client(c -> c.bulkMemoryBytes(BulkWorld.MEMORY).standingLandings(1, 1000));
      MemorySegment room = bulk.room(1000);
      Session session = client.session(bulk.world.address());
      session.objects().onPush(offer -> Landing.of(room));
      bulk.await(session.objects().push("there", Source.of(new byte[10])));
      assertThat(client.bulkStats().standing()).isEqualTo(4096);
      MemorySegment bytes = bulk.bytes(1000, 5);
      for (int i = 1; i <= 3; i++) {
        room.fill((byte) 0);
        bulk.await(world.accepted.getLast().objects().push("back", Source.of(bytes)));
        assertThat(room.mismatch(bytes)).isEqualTo(-1);
        assertThat(client.bulkStats().landedAtOnce()).isEqualTo(i);
      }
      session.close();
      bulk.world.settle();
      assertThat(client.bulkStats().memoryInUse()).isZero();
    }
  }

  @Test
  void aRefusedPushLeavesAnotherLandingInItsPlace() {
    try (World world = new World()) {
      for (int i = 0; i < 3 * COUNT; i++) {
        world.where = offer -> null;
        assertThat(world.bulk.awaitFailure(world.push(1000).transfer).status())
            .isEqualTo(RpcStatus.PERMISSION_DENIED);
        world.where = offer -> Landing.pooled(10);
        assertThat(world.bulk.awaitFailure(world.push(1000).transfer))
            .hasMessageContaining("takes 10 bytes, and it has 1000");
      }
      world.where = offer -> Landing.pooled(offer.length());
      world.assertTheyStand();
    }
  }

  @Test
  void memoryThatIsFreedTooEarlyFailsItsPushAlone() {
    try (World world = new World()) {
      Arena brief = Arena.ofShared();
      Landing freed = Landing.of(brief.allocate(1000));
      world.where =
          offer -> {
            brief.close();
            return freed;
          };
      assertThat(world.bulk.awaitFailure(world.push(1000).transfer))
          .hasMessageContaining("close its arena later");
      world.where = offer -> Landing.pooled(offer.length());
      world.assertTheyStand();
    }
  }

  @Test
  void aPushMayBeCancelledAtAnyPoint() {
    for (int step = 0; step < STEPS; step++) {
      try (World world = new World()) {
        Push push = world.push(BYTES);
        world.bulk.steps(step);
        push.transfer.cancel();
        world.bulk.world.runUntil(() -> BulkWorld.isOver(push.transfer));
        world.assertTheyStand();
      }
    }
  }

  @Test
  void aLostLinkAtAnyPointCostsNothingButTime() {
    for (int step = 0; step < STEPS; step++) {
      try (World world = new World()) {
        List<Push> all = List.of(world.push(BYTES), world.push(5000), world.push(BYTES + 1));
        world.bulk.steps(step);
        world.bulk.world.network().drop(URI.create(world.bulk.world.address()), "pulled");
        all.forEach(world::assertArrived);
        world.assertTheyStand();
      }
    }
  }

  @Test
  void anUpgradeOrTheLossOfTheBetterLinkAtAnyPointCostsNothingEither() {
    for (int step = 0; step < 3 * STEPS; step++) {
      try (World world = new World(true, COUNT, BYTES)) {
        List<Push> all = new ArrayList<>();
        for (int i = 0; i < step; i++) {
          if (i % 8 == 0) {
            all.add(world.push(BYTES - i));
          }
          world.bulk.steps(1);
        }
        URI better = world.bulk.upgrade.lastOffer();
        if (better != null && step % 2 == 0) {
          world.bulk.fast.drop(better, "the device was removed");
        }
        all.forEach(world::assertArrived);
        world.assertTheyStand();
      }
    }
  }

  /** By then it may be written and summed as for the landing, so nobody asks where it begins. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileIsWholeWhereTheLandingIsGoneFirst(boolean checked, @TempDir Path directory)
      throws IOException {
    TransferOptions options =
        checked ? TransferOptions.DEFAULT.withChecksum() : TransferOptions.DEFAULT;
    for (int step = 0; step < STEPS; step++) {
      try (World world = new World()) {
        world.where = offer -> Landing.file(directory.resolve(offer.name()));
        List<Push> all = List.of(world.push(BYTES, options), world.push(5000, options));
        world.bulk.steps(step);
        world.bulk.world.network().drop(URI.create(world.bulk.world.address()), "pulled");
        for (Push push : all) {
          world.bulk.await(push.transfer);
          assertThat(Files.readAllBytes(directory.resolve(push.name))).isEqualTo(push.bytes);
        }
      }
    }
  }

  @Test
  void aBetterLinkThatComesAndGoesLeavesNoLandingOfBefore() {
    for (int step = 0; step < 3 * STEPS; step++) {
      try (World world = new World(true, StandingOptions.MOST, BulkWorld.CHUNK)) {
        for (int time = 0; time < 3; time++) {
          world.bulk.steps(step);
          URI better = world.bulk.upgrade.lastOffer();
          if (better != null) {
            world.bulk.fast.drop(better, "the device was removed");
          }
          world.bulk.world.clock().advance(Duration.ofMinutes(1));
        }
        world.assertTheyStand();
      }
    }
  }

  @Test
  void linksThatAreLostAgainAndAgain() {
    Random random = Seed.random("pushes over links that are lost again and again");
    for (int round = 0; round < 30; round++) {
      try (World world = new World(random.nextBoolean(), COUNT, BYTES)) {
        List<Push> all = new ArrayList<>();
        List<Push> cancelled = new ArrayList<>();
        for (int loss = 0; loss < 8; loss++) {
          for (int i = random.nextInt(2 * COUNT); i > 0; i--) {
            Push push =
                world.push(
                    1 + random.nextInt(2 * BYTES),
                    random.nextBoolean()
                        ? TransferOptions.DEFAULT
                        : TransferOptions.DEFAULT.withChecksum());
            (random.nextInt(5) == 0 ? cancelled : all).add(push);
          }
          world.bulk.steps(random.nextInt(40));
          if (!cancelled.isEmpty()) {
            cancelled.getLast().transfer.cancel();
          }
          world.bulk.world.clock().advance(Duration.ofMillis(random.nextInt(50)));
          URI better = world.bulk.upgrade.lastOffer();
          if (random.nextBoolean()) {
            URI first = URI.create(world.bulk.world.address());
            world.bulk.world.network().drop(first, "by chance");
          } else if (better != null) {
            world.bulk.fast.drop(better, "by chance");
          }
        }
        all.forEach(world::assertArrived);
        for (Push push : cancelled) {
          world.bulk.world.runUntil(() -> BulkWorld.isOver(push.transfer));
        }
        // The last loss may have found all pushes at their end: then nobody waits for a new link.
        world.bulk.world.runUntil(() -> world.stats().standing() == (long) COUNT * BYTES);
        world.assertTheyStand();
      }
    }
  }

  @Test
  void aServersSuccessorHasLandingsOfItsOwn() {
    try (World world = new World()) {
      world.assertArrived(world.push(100));
      world.bulk.server.close();
      world.bulk.world.settle();
      VerbenaServer successor =
          world.bulk.world.server(
              s ->
                  s.standingLandings(1, BYTES)
                      .onSession(session -> session.objects().onPush(world)));
      world.assertArrived(world.push(200)); // no landing is known before the session is open
      world.assertArrived(world.push(300));
      assertThat(successor.bulkStats().landedAtOnce()).isPositive();
      assertThat(world.stats().standing()).isZero();
    }
  }

  @Test
  void aClosedSessionKeepsNothingWhateverIsUnderWay() {
    for (int step = 0; step < STEPS; step++) {
      try (World world = new World()) {
        Push push = world.push(BYTES);
        world.bulk.steps(step);
        world.bulk.session.close();
        world.bulk.world.runUntil(() -> BulkWorld.isOver(push.transfer));
      }
    }
  }

  @Test
  void noneStandWhereNobodyTakesPushes() {
    try (BulkWorld bulk = new BulkWorld(false, s -> s.standingLandings(COUNT, BYTES))) {
      bulk.open();
      bulk.world.settle();
      assertThat(bulk.server.bulkStats().standing()).isZero();
      TransferException refused =
          bulk.awaitFailure(bulk.session.objects().push("x", Source.of(new byte[10])));
      assertThat(refused).hasMessageContaining("onPush");
      bulk.assertNothingLeft();
    }
  }

  @Test
  void asManyStandAsThereIsMemoryForAndTheRestComesAsEver() {
    try (World world = new World(false, 64, 1 << 20)) {
      assertThat(world.stats().standing())
          .as("what one session may have")
          .isEqualTo(BulkWorld.MEMORY / 8 * 5);
      MemorySegment room = world.bulk.room(1 << 20);
      world.where = offer -> Landing.of(room);
      List<Push> all = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        all.add(world.push(1000));
      }
      all.forEach(push -> world.bulk.await(push.transfer));
      assertThat(world.stats().landedAtOnce()).isGreaterThanOrEqualTo(10);
    }
  }
}
