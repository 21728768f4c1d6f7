package io.verbena.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of links that move bulk, beyond {@link LinkContract}. The test of a link extends it;
 * one thread steps both ends.
 *
 * <p>It is long, since it is a list: each test stands by itself.
 */
public abstract class BulkContract {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** More than any link may hold on to while its reader does not read. */
  private static final long MOST_BYTES_UNDER_WAY = 64 << 20;

  private static final byte UNTOUCHED = 0x55;

  private LinkHarness harness;
  private SteppedLinks links;
  private final List<EndMemory> memories = new ArrayList<>();
  private BulkEnd client;
  private BulkEnd server;

  /** Everything is set before each test. */
  @SuppressWarnings("NullAway.Init") // by open
  protected BulkContract() {}

  /** Returns a new harness; the suite closes it. */
  protected abstract LinkHarness newHarness();

  @BeforeEach
  void open() throws LinkException {
    harness = newHarness();
    links =
        new SteppedLinks(
            harness,
            LinkOptions.of(harness.maxFrameBytes(), PATIENCE, harness.clientTls()),
            LinkOptions.of(harness.maxFrameBytes(), PATIENCE, harness.serverTls()));
    SteppedLinks.Pair pair = links.open();
    client = bulk(pair.client());
    server = bulk(pair.server());
  }

  private BulkEnd bulk(LinkEnd end) {
    BulkEnd bulk = new BulkEnd(end, harness, links);
    memories.add(bulk.memory());
    return bulk;
  }

  @AfterEach
  void closeEverything() {
    try {
      links.close();
    } finally {
      memories.forEach(EndMemory::close);
      harness.close();
    }
  }

  private void untilArrived(BulkEnd.Landed landed) {
    links.stepUntil("all to arrive", landed::isWhole);
  }

  private void untilWritten(BulkEnd.Written written) {
    links.stepUntil("the source to be free", () -> written.pending() == 0);
  }

  private void fence(BulkEnd.Landed landed) {
    boolean[] fenced = new boolean[1];
    landed.target().close(() -> fenced[0] = once(fenced[0]));
    links.stepUntil("the fence", () -> fenced[0]);
  }

  private static boolean once(boolean before) {
    if (before) {
      throw new AssertionError("told of the fence twice");
    }
    return true;
  }

  private static void assertSame(byte[] landed, byte[] source) {
    assertThat(Arrays.mismatch(landed, source)).as("first difference").isEqualTo(-1);
  }

  private void assertStillWorks(BulkEnd from, BulkEnd to) throws LinkException {
    BulkEnd.Landed landed = to.target(1000);
    BulkRegion source = from.filled(1000, 77);
    int frames = to.end().heard().frames().size();
    from.to(landed, source).writeNow(1000, true);
    from.end().sendNow(new byte[] {1});
    untilArrived(landed);
    links.stepUntil("the frame", () -> to.end().heard().frames().size() > frames);
    assertSame(landed.content(), from.content(source.memory()));
  }

  @Nested
  @DisplayName("reaches memory that is exposed")
  final class Reaching {
    private static final int LENGTH = 100_000;

    private BulkRegion exposed;
    private BulkTarget target;
    private RemoteTarget remote;
    private BulkRegion mine;
    private int done;

    /** Everything is set before each test. */
    @SuppressWarnings("NullAway.Init") // by expose
    Reaching() {}

    @BeforeEach
    void expose() throws LinkException {
      Assumptions.assumeTrue(client.port().isOneSided() && server.port().isOneSided());
      exposed = server.filled(LENGTH, 1);
      target = server.port().expose(exposed.memory(), true, true);
      boolean[] open = new boolean[1];
      target.whenOpen(() -> open[0] = true);
      links.stepUntil("it to be open", () -> open[0]);
      remote = client.port().remote(ByteBuffer.wrap(target.advertisement()));
      assertThat(remote.length()).isEqualTo(LENGTH);
      mine = client.region(LENGTH);
    }

    private SendResult access(boolean reads, long there, long here, int length) {
      return access(reads, false, there, here, length);
    }

    private SendResult access(boolean reads, boolean behind, long there, long here, int length) {
      return client
          .port()
          .access(
              remote,
              reads,
              behind,
              there,
              mine,
              here,
              length,
              () -> done++,
              () -> {
                throw new AssertionError("the link has ended");
              });
    }

    private void untilDone(int number) {
      links.stepUntil("all to be done", () -> done == number);
    }

    private byte[] ofServer(long at, int length) {
      return server.content(exposed.memory().asSlice(at, length));
    }

    private byte[] ofClient(long at, int length) {
      return client.content(mine.memory().asSlice(at, length));
    }

    private void shut() {
      boolean[] fenced = new boolean[1];
      target.close(() -> fenced[0] = once(fenced[0]));
      links.stepUntil("the fence", () -> fenced[0]);
    }

    @Test
    void atAnyPlaceByReadsAndWrites() throws LinkException {
      int[] lengths = {1, 8, 63, 4097, 65_537};
      int number = 0;
      for (int length : lengths) {
        assertThat(access(true, 777, 10, length)).isEqualTo(SendResult.SENT);
        untilDone(++number);
        assertSame(ofClient(10, length), ofServer(777, length));
        client.fill(mine.memory().asSlice(20, length), length);
        assertThat(access(false, 4321, 20, length)).isEqualTo(SendResult.SENT);
        untilDone(++number);
        assertSame(ofServer(4321, length), ofClient(20, length));
      }
      assertThat(access(true, LENGTH - 1, 0, 1)).isEqualTo(SendResult.SENT);
      untilDone(++number);
      shut();
      assertStillWorks(client, server);
    }

    @Test
    void behindWhatWasReadBefore() throws LinkException {
      for (int i = 1; i <= 20; i++) {
        byte[] before = ofServer(0, 64);
        client.fill(mine.memory().asSlice(100, 64), i);
        assertThat(access(true, 0, 0, 64)).isEqualTo(SendResult.SENT);
        assertThat(access(false, true, 0, 100, 64)).isEqualTo(SendResult.SENT);
        untilDone(2 * i);
        assertSame(ofClient(0, 64), before);
        assertSame(ofServer(0, 64), ofClient(100, 64));
      }
      shut();
    }

    @Test
    void andLeavesItAloneWhenAskedThoughReadsAreUnderWay() throws LinkException {
      int posted = 0;
      while (access(true, 0, 0, LENGTH) == SendResult.SENT) {
        posted++;
      }
      assertThat(posted).isPositive();
      shut();
      untilDone(posted);
      assertThat(access(true, 0, 0, 1)).isEqualTo(SendResult.CLOSED);
      assertStillWorks(client, server);
      assertStillWorks(server, client);
    }

    @Test
    void butNotWhereThePeerTellsOfItTooLate() throws LinkException {
      shut();
      BulkTarget next = server.port().expose(exposed.memory(), true, true);
      boolean[] is = new boolean[2];
      next.whenOpen(() -> is[0] = true);
      links.stepUntil("the next to be open", () -> is[0]);
      RemoteTarget later = client.port().remote(ByteBuffer.wrap(next.advertisement()));
      remote = client.port().remote(ByteBuffer.wrap(target.advertisement()));
      assertThat(access(true, 0, 0, 1)).isEqualTo(SendResult.CLOSED);
      remote = later;
      assertThat(access(true, 0, 0, LENGTH)).isEqualTo(SendResult.SENT);
      untilDone(1);
      next.close(() -> is[1] = true);
      links.stepUntil("the next to be fenced", () -> is[1]);
      assertStillWorks(client, server);
    }

    @Test
    void withinItsBoundsAlone() {
      for (long at : new long[] {-1, LENGTH, LENGTH - 7}) {
        assertThatThrownBy(() -> access(true, at, 0, 8))
            .isInstanceOf(IllegalArgumentException.class);
      }
      shut();
    }
  }

  @Nested
  @DisplayName("arrives")
  final class Arriving {
    @Test
    void wholeAndInOrderWithFramesBothWaysFromManyWriters() throws LinkException {
      Random random = Seed.random("bulk arrives whole and in order");
      BulkTraffic there = new BulkTraffic(random.nextLong(), client, server, 12);
      BulkTraffic back = new BulkTraffic(random.nextLong(), server, client, 12);
      links.stepUntil(
          "everything to arrive",
          () -> {
            boolean thereWritten = there.writeOn();
            boolean backWritten = back.writeOn();
            return thereWritten && backWritten && there.isOver() && back.isOver();
          });
      assertThat(there.arrivedWhole() && back.arrivedWhole()).isTrue();
      int[] fenced = new int[1];
      there.close(() -> fenced[0]++);
      back.close(() -> fenced[0]++);
      links.stepUntil("every fence", () -> fenced[0] == there.transfers() + back.transfers());
    }

    @Test
    void inPiecesOfOddLengths() throws LinkException {
      for (int length : new int[] {1, 2, 3, 7, 63, 65, 4095, 4097, 65_535, 65_537, 1_000_003}) {
        BulkEnd.Landed landed = server.target(length);
        BulkRegion source = client.filled(length, length);
        BulkEnd.Written written = client.to(landed, source);
        links.stepUntil(
            length + " bytes",
            () -> {
              written.writeOn();
              return landed.upTo() == length && written.pending() == 0;
            });
        assertSame(landed.content(), client.content(source.memory()));
        fence(landed);
      }
    }

    @Test
    void inNoMoreThanTheRangeThatIsOpen() throws LinkException {
      BulkRegion region = server.region(3000);
      server.wipe(region.memory(), UNTOUCHED);
      BulkEnd.Landed landed = server.target(region, 1001, 997);
      BulkRegion source = client.filled(997, 5);
      client.to(landed, source).writeNow(997, true);
      untilArrived(landed);
      assertSame(landed.content(), client.content(source.memory()));
      assertThat(server.content(region.memory().asSlice(0, 1001))).containsOnly(UNTOUCHED);
      assertThat(server.content(region.memory().asSlice(1998))).containsOnly(UNTOUCHED);
    }

    @Test
    void fromAndIntoPlacesBeyondTwoGibibytes(@TempDir Path directory)
        throws IOException, LinkException {
      Assumptions.assumeTrue(harness.takesHugeRegions(), "attaching pins all of a region here");
      long offset = (4L << 30) + 12_345;
      int length = 200_001;
      BulkRegion from = client.port().attach(sparse(directory.resolve("from")), MemoryLife.HELD);
      BulkRegion into = server.port().attach(sparse(directory.resolve("into")), MemoryLife.HELD);
      client.fill(from.memory().asSlice(offset, length), 6);
      BulkEnd.Landed landed = server.target(into, offset, length);
      var remote = client.port().remote(ByteBuffer.wrap(landed.advertisement()));
      int half = length / 2;
      assertThat(client.port().write(remote, 0, from, offset, half, false, () -> {}))
          .isEqualTo(SendResult.SENT);
      client.end().link().flush();
      int rest = length - half;
      links.stepUntil(
          "room for the other half",
          () ->
              client.port().write(remote, half, from, offset + half, rest, true, () -> {})
                  == SendResult.SENT);
      client.end().link().flush();
      untilArrived(landed);
      assertSame(landed.content(), client.content(from.memory().asSlice(offset, length)));
    }

    private MemorySegment sparse(Path file) throws IOException {
      try (FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        return channel.map(FileChannel.MapMode.READ_WRITE, 0, 5L << 30, Arena.ofAuto());
      }
    }

    @Test
    void andIsToldOfAtACheckpointWithAllBeforeIt() throws LinkException {
      BulkEnd.Landed landed = server.target(3000);
      BulkEnd.Written written = client.to(landed, client.filled(3000, 8));
      written.writeNow(1000, false);
      written.writeNow(1000, true);
      links.stepUntil("the checkpoint", () -> landed.upTo() >= 2000);
      written.writeNow(1000, true);
      untilArrived(landed);
    }

    @Test
    void behindTheFramesBeforeItThoughTheReaderStops() throws LinkException {
      BulkEnd.Landed landed = server.target(1000);
      List<Long> heardAtFrame = new ArrayList<>();
      server.end().heard().onFrame(frame -> heardAtFrame.add(landed.upTo()));
      server.end().link().setReceiving(false);
      client.end().sendNow(new byte[] {1});
      client.to(landed, client.filled(1000, 9)).writeNow(1000, true);
      client.end().sendNow(new byte[] {2});
      links.settle();
      server.end().link().setReceiving(true);
      links.stepUntil("both frames", () -> heardAtFrame.size() == 2);
      assertThat(heardAtFrame).containsExactly(0L, 1000L);
    }

    @Test
    void fromMemoryThatChangesAsSoonAsItIsWritten() throws LinkException {
      BulkEnd.Landed landed = server.target(100_000);
      BulkRegion source = client.filled(100_000, 10);
      byte[] before = client.content(source.memory());
      BulkEnd.Written written = client.to(landed, source);
      written.writeNow(100_000, true);
      links.stepUntil("the source to be free", () -> written.pending() == 0);
      client.wipe(source.memory(), (byte) 0);
      untilArrived(landed);
      assertThat(landed.content()).isEqualTo(before);
    }
  }

  @Nested
  @DisplayName("pushes back")
  final class PushingBack {
    @Test
    void whenThePeerStandsStillAndGoesOnOnceThereIsRoom() throws LinkException {
      int piece = 4096;
      BulkEnd.Landed landed = server.target(MOST_BYTES_UNDER_WAY);
      BulkEnd.Written written = client.to(landed, client.region(MOST_BYTES_UNDER_WAY));
      // The server's loop stands still, as that of a frozen host would.
      SendResult result = SendResult.SENT;
      int told = 0; // of room, before the write that found none
      int idle = 0;
      while (idle++ < 200) {
        while (!written.isWhole()) {
          told = client.end().heard().writables();
          result = written.write(piece, true);
          if (result != SendResult.SENT) {
            break;
          }
          idle = 0;
        }
        client.end().link().flush();
        links.client().poll();
      }
      assertThat(result).isEqualTo(SendResult.BACK_PRESSURED);
      int before = told;
      links.stepUntil("room", () -> client.end().heard().writables() > before);
      written.writeNow(piece, true);
      links.stepUntil("all of it", () -> landed.upTo() == written.at());
    }
  }

  @Nested
  @DisplayName("is fenced")
  final class Fencing {
    @Test
    void whenItsTargetIsClosedWhileBeingWritten() throws LinkException {
      BulkEnd.Landed landed = server.target(500_000);
      BulkEnd.Written written = client.to(landed, client.filled(500_000, 11));
      written.write(100_000, false);
      written.writeNow(100_000, true);
      fence(landed);
      server.wipe(landed.memory(), UNTOUCHED);
      for (int i = 0; i < 3; i++) {
        written.writeNow(100_000, true);
        links.settle();
      }
      untilWritten(written);
      assertThat(landed.content()).containsOnly(UNTOUCHED);
      assertStillWorks(client, server);
    }

    @Test
    void atOnceForTheNextUserOfItsMemory() throws LinkException {
      BulkRegion region = server.region(10_000);
      BulkEnd.Landed first = server.target(region, 0, 10_000);
      BulkEnd.Written stale = client.to(first, client.filled(10_000, 12));
      stale.writeNow(5000, true);
      fence(first);
      BulkEnd.Landed second = server.target(region, 0, 10_000);
      BulkRegion source = client.filled(10_000, 13);
      BulkEnd.Written fresh = client.to(second, source);
      fresh.writeNow(4000, true);
      stale.writeNow(5000, true);
      fresh.writeNow(6000, true);
      untilArrived(second);
      untilWritten(stale);
      assertSame(second.content(), client.content(source.memory()));
    }

    @Test
    void whenItsLinkIsAbortedByTheReader() throws LinkException {
      BulkEnd.Landed landed = server.target(500_000);
      BulkEnd.Written written = client.to(landed, client.filled(500_000, 14));
      written.writeNow(100_000, true);
      links.step();
      server.end().link().abort("enough");
      links.stepUntil("the reader to hear", () -> server.end().heard().isClosed());
      server.wipe(landed.memory(), UNTOUCHED);
      links.stepUntil("the writer to hear", () -> client.end().heard().isClosed());
      assertThat(written.write(100_000, true)).isEqualTo(SendResult.CLOSED);
      links.settle();
      assertThat(landed.content()).containsOnly(UNTOUCHED);
      fence(landed);
    }

    @Test
    void whenItsLinkIsAbortedByTheWriterWhoseMemoryIsThenFree() throws LinkException {
      BulkEnd.Landed landed = server.target(500_000);
      BulkRegion source = client.filled(500_000, 15);
      byte[] before = client.content(source.memory());
      BulkEnd.Written written = client.to(landed, source);
      written.writeNow(100_000, true);
      client.end().link().abort("enough");
      links.stepClientUntil("the writer to hear", () -> client.end().heard().isClosed());
      int pending = written.pending();
      client.wipe(source.memory(), (byte) 0);
      links.stepUntil("the reader to hear", () -> server.end().heard().isClosed());
      links.settle();
      assertThat(written.pending()).as("told of after the end").isEqualTo(pending);
      byte[] arrived = server.content(landed.memory().asSlice(0, landed.upTo()));
      assertThat(arrived).isEqualTo(Arrays.copyOf(before, arrived.length));
      source.release();
      fence(landed);
    }

    @Test
    void afterAllThatWasWrittenWhenItsLinkIsClosedInOrder() throws LinkException {
      BulkEnd.Landed landed = server.target(50_000);
      BulkRegion source = client.filled(50_000, 16);
      byte[] before = client.content(source.memory());
      client.to(landed, source).writeNow(50_000, true);
      client.end().sendNow(new byte[] {1});
      client.end().link().close();
      links.stepUntil("the writer to hear", () -> client.end().heard().isClosed());
      client.wipe(source.memory(), (byte) 0);
      links.stepUntil("the reader to hear", () -> server.end().heard().isClosed());
      assertThat(server.end().heard().frames()).hasSize(1);
      assertThat(landed.content()).isEqualTo(before);
    }
  }

  /** Events that a link prevents. */
  @Nested
  @DisplayName("refuses")
  final class Refusing {
    @Test
    void advertisementsThatMakeNoSense() throws LinkException {
      byte[] good = server.target(100).advertisement();
      List<byte[]> bad = new ArrayList<>();
      bad.add(new byte[0]);
      bad.add(new byte[1]);
      bad.add(Arrays.copyOf(good, good.length - 1));
      bad.add(Arrays.copyOf(good, good.length + 1));
      bad.add(new byte[64]);
      for (byte[] advertisement : bad) {
        assertThatThrownBy(() -> client.port().remote(ByteBuffer.wrap(advertisement)))
            .isInstanceOf(LinkException.class);
      }
      assertStillWorks(client, server);
    }

    @Test
    void randomAdvertisementsOrWritesToThemWithoutHarmToOthers() throws LinkException {
      Random random = Seed.random("bulk to random places");
      SteppedLinks.Pair other = links.open();
      BulkEnd.Landed good = server.target(100_000);
      server.wipe(good.memory(), UNTOUCHED);
      byte[] advertisement = good.advertisement();
      for (int i = 0; i < 3; i++) {
        advertisement[random.nextInt(advertisement.length)] ^= (byte) (1 + random.nextInt(255));
      }
      BulkRegion source = client.filled(1000, 17);
      try {
        BulkEnd.Written written = client.to(advertisement, source);
        if (written.target().length() >= 1000) {
          SendResult _ = written.write(1000, true);
          client.end().link().flush();
        }
      } catch (LinkException expected) {
        assertThat(expected).hasMessageContaining(" ");
      }
      links.settle();
      assertStillWorks(bulk(other.client()), bulk(other.server()));
    }

    @Test
    void anotherLinksTarget() throws LinkException {
      SteppedLinks.Pair other = links.open();
      BulkEnd otherServer = bulk(other.server());
      BulkEnd.Landed foreign = otherServer.target(10_000);
      otherServer.wipe(foreign.memory(), UNTOUCHED);
      try {
        client.to(foreign, client.filled(10_000, 18)).writeNow(10_000, true);
        links.stepUntil("the stranger's link to end", () -> client.end().heard().isClosed());
      } catch (LinkException expected) {
        assertThat(expected).hasMessageContaining(" ");
      }
      links.settle();
      assertThat(foreign.content()).containsOnly(UNTOUCHED);
      assertStillWorks(bulk(other.client()), otherServer);
    }

    @Test
    void writesBeyondATargetsEndAndTheLinkEnds() throws LinkException {
      SteppedLinks.Pair other = links.open();
      BulkRegion region = server.region(20_000);
      server.wipe(region.memory(), UNTOUCHED);
      byte[] lie = harness.overstated(server.target(region, 0, 10_000).advertisement());
      Assumptions.assumeTrue(lie != null, "the writer takes no length from an advertisement here");
      if (lie != null) {
        client.to(lie, client.filled(10_001, 19)).writeNow(10_001, true);
      }
      links.stepUntil("the liar's link to end", () -> server.end().heard().isClosed());
      links.stepUntil("the liar to hear", () -> client.end().heard().isClosed());
      assertThat(server.content(region.memory().asSlice(10_000))).containsOnly(UNTOUCHED);
      assertStillWorks(bulk(other.client()), bulk(other.server()));
    }

    @Test
    void toWriteWhatDoesNotFitOrLeavesAGap() throws LinkException {
      BulkEnd.Landed landed = server.target(1000);
      BulkRegion source = client.region(2000);
      var remote = client.port().remote(ByteBuffer.wrap(landed.advertisement()));
      assertThat(remote.length()).isEqualTo(1000);
      long[][] wrong = {{0, 1001}, {1, 10}, {0, 0}};
      for (long[] piece : wrong) {
        assertThatThrownBy(
                () ->
                    client
                        .port()
                        .write(remote, piece[0], source, 0, (int) piece[1], true, () -> {}))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertStillWorks(client, server);
    }
  }

  @Nested
  @DisplayName("lets go of memory")
  final class LettingGo {
    @Test
    void thatIsFreedAsSoonAsItIsReleased() throws LinkException {
      for (int i = 0; i < 5; i++) {
        MemorySegment from = client.memory().allocate(10_000);
        MemorySegment into = server.memory().allocate(10_000);
        carry(from, into, MemoryLife.ONCE, i);
        client.memory().free(from);
        server.memory().free(into);
      }
      links.settle();
      assertStillWorks(client, server);
    }

    @Test
    void andTakesTheSameMemoryAgainAndAgain() throws LinkException {
      MemorySegment from = client.memory().allocate(10_000);
      MemorySegment into = server.memory().allocate(10_000);
      for (int i = 0; i < 20; i++) {
        carry(from, into, MemoryLife.HELD, i);
      }
    }

    private void carry(MemorySegment from, MemorySegment into, MemoryLife life, long seed)
        throws LinkException {
      client.fill(from, seed);
      BulkRegion source = client.port().attach(from, life);
      BulkRegion landing = server.port().attach(into, life);
      BulkEnd.Landed landed = server.target(landing, 0, 10_000);
      BulkEnd.Written written = client.to(landed, source);
      written.writeNow(10_000, true);
      untilArrived(landed);
      untilWritten(written);
      assertSame(server.content(into), client.content(from));
      fence(landed);
      source.release();
      landing.release();
    }
  }
}
