package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.Secret;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that lie: each loses its own link, or gets none, and nobody else notices. */
final class HostilePeerTest {
  private TwoEnds ends;

  @SuppressWarnings("NullAway.Init") // by open
  HostilePeerTest() {}

  @BeforeEach
  void open(@TempDir Path base) {
    ends = new TwoEnds(base);
  }

  @AfterEach
  void close() {
    ends.close();
  }

  @Nested
  @DisplayName("An offer")
  final class OfAnOffer {
    private Path good() throws LinkException {
      byte[] offer = ends.offer(new TwoEnds.Outcome());
      return new LinkFiles(ends.base).directory(ShmOffer.decode(offer).directory());
    }

    private String failureAt(long directory) {
      Secret token = new Secret(1, 2);
      return ends.connect(new ShmOffer(directory, token, 256 << 10).encode()).failure();
    }

    @Test
    void ofAnyBytesLeadsNowhere() throws LinkException {
      Random random = Seed.random("offers of any bytes");
      byte[] good = ends.offer(new TwoEnds.Outcome());
      List<byte[]> bad = new ArrayList<>();
      for (int length = 0; length < good.length; length++) {
        bad.add(Arrays.copyOf(good, length));
      }
      for (int i = 0; i < 200; i++) {
        byte[] changed = good.clone();
        changed[random.nextInt(changed.length)] ^= (byte) (1 + random.nextInt(255));
        bad.add(changed);
        byte[] any = new byte[random.nextInt(64)];
        random.nextBytes(any);
        bad.add(any);
      }
      for (byte[] offer : bad) {
        assertThat(ends.connect(offer).failure()).isNotEmpty();
      }
      ends.requireThatLinksWork();
    }

    @Test
    void isHadHoweverManyOthersNobodyTakes() throws LinkException {
      TwoEnds.Outcome first = new TwoEnds.Outcome();
      ends.offer(first);
      for (int i = 0; i < 1024; i++) {
        ends.offer(new TwoEnds.Outcome());
      }
      assertThat(first.failure()).contains("newer offers");
      ends.requireThatLinksWork();
    }

    @Test
    void leadsToADirectoryThoughTheLastOneWasTidiedUp() throws Exception {
      LinkFiles.remove(good());
      ends.requireThatLinksWork();
    }

    @Test
    void ofADirectoryThatIsALinkIsRefused() throws Exception {
      Files.createSymbolicLink(new LinkFiles(ends.base).directory(7), good());
      assertThat(failureAt(7)).contains("must be a directory that belongs to this process's user");
    }

    @Test
    void ofADirectoryThatOthersMayEnterIsRefused() throws Exception {
      Files.setPosixFilePermissions(good(), PosixFilePermissions.fromString("rwxr-xr-x"));
      String name = good().getFileName().toString();
      assertThat(failureAt(Long.parseUnsignedLong(name.substring(name.indexOf('-') + 1), 16)))
          .contains("without permissions for others");
    }

    @Test
    void ofADirectoryOfAnotherUserIsRefused() throws Exception {
      Path made = new LinkFiles(ends.base).make(7);
      try {
        Files.setAttribute(made, "unix:uid", 12_345);
      } catch (IOException e) {
        Assumptions.abort("only root gives files away: " + e);
      }
      assertThat(failureAt(7)).contains("must be a directory that belongs to this process's user");
    }

    @Test
    void ofADirectoryWithoutASocketIsRefused() throws Exception {
      Path made = new LinkFiles(ends.base).make(7);
      assertThat(failureAt(7)).contains("there is no " + made.resolve(LinkFiles.BELL));
      Files.createSymbolicLink(made.resolve(LinkFiles.BELL), good().resolve(LinkFiles.BELL));
      assertThat(failureAt(7)).contains("is not a socket");
    }
  }

  @Nested
  @DisplayName("A caller")
  final class OfACaller {
    @Test
    void withATokenOfNobodysIsTurnedAway() throws Exception {
      TwoEnds.Outcome outcome = new TwoEnds.Outcome();
      byte[] offer = ends.offer(outcome);
      try (RawPeer peer = new RawPeer(ends, offer)) {
        ByteBuffer greeting = peer.greeting();
        greeting.put(5, (byte) ~greeting.get(5));
        assertThat(peer.say(greeting).isTurnedAway()).isTrue();
      }
      assertThat(ends.counted("shm strangers refused")).isEqualTo(1);
      assertThat(outcome.isKnown()).isFalse();
      assertThat(ends.connect(offer).end().heard().isClosed()).isFalse();
    }

    @Test
    void withATokenThatWasUsedIsTurnedAway() throws Exception {
      byte[] offer = ends.offer(new TwoEnds.Outcome());
      assertThat(ends.connect(offer).end().heard().isClosed()).isFalse();
      try (RawPeer peer = new RawPeer(ends, offer)) {
        assertThat(peer.say(peer.greeting()).isTurnedAway()).isTrue();
      }
    }

    @Test
    void whoSaysNothingOrNonsenseIsTurnedAwayInTime() throws Exception {
      byte[] offer = ends.offer(new TwoEnds.Outcome());
      try (RawPeer silent = new RawPeer(ends, offer);
          RawPeer nonsense = new RawPeer(ends, offer)) {
        nonsense.say(ByteBuffer.allocate(Opening.GREETING_BYTES));
        assertThat(nonsense.isTurnedAway()).isTrue();
        ends.pass(Duration.ofSeconds(3));
        assertThat(silent.isTurnedAway()).isTrue();
      }
    }

    @Test
    void whoIsGoneBeforeTheLinkStandsLeavesNothing() throws Exception {
      TwoEnds.Outcome outcome = new TwoEnds.Outcome();
      try (RawPeer peer = new RawPeer(ends, ends.offer(outcome))) {
        peer.say(peer.greeting());
        assertThat(peer.isTurnedAway()).isFalse();
      }
      ends.stepUntil("the failure", outcome::isKnown);
      assertThat(outcome.failure()).contains("was not taken", "the peer has gone");
      requireNoFiles();
    }

    @Test
    void whoAnswersAnotherThingThanThatItHasMappedTheFileGetsNoLink() throws Exception {
      TwoEnds.Outcome outcome = new TwoEnds.Outcome();
      try (RawPeer peer = new RawPeer(ends, ends.offer(outcome))) {
        peer.say(peer.greeting());
        assertThat(peer.isTurnedAway()).isFalse();
        peer.say(ByteBuffer.wrap(new byte[] {Opening.MAPPED + 1}));
        ends.stepUntil("the failure", outcome::isKnown);
        assertThat(outcome.failure()).contains("the peer answered " + (Opening.MAPPED + 1));
        requireNoFiles();
      }
    }

    @Test
    void whoNeverMapsTheFileLosesItsOffer() throws Exception {
      TwoEnds.Outcome outcome = new TwoEnds.Outcome();
      try (RawPeer peer = new RawPeer(ends, ends.offer(outcome))) {
        peer.say(peer.greeting());
        assertThat(peer.isTurnedAway()).isFalse();
        ends.pass(Duration.ofSeconds(21));
        ends.stepUntil("the failure", outcome::isKnown);
        assertThat(outcome.failure()).contains("was not open in time");
        requireNoFiles();
      }
    }

    private void requireNoFiles() throws IOException {
      try (Stream<Path> all = Files.walk(ends.base)) {
        assertThat(all.filter(Files::isRegularFile)).isEmpty();
      }
    }
  }

  @Nested
  @DisplayName("A link ends")
  final class OfALink {
    private LinkEnd end;
    private RawPeer peer;

    @SuppressWarnings("NullAway.Init") // by connect
    OfALink() {}

    @BeforeEach
    void connect() throws Exception {
      TwoEnds.Outcome outcome = new TwoEnds.Outcome();
      peer = new RawPeer(ends, ends.offer(outcome)).map();
      ends.stepUntil("the link", outcome::isKnown);
      end = outcome.end();
    }

    @AfterEach
    void disconnect() throws IOException {
      peer.close();
    }

    private String untilClosed() throws LinkException {
      ends.stepUntil("the end of the link", () -> end.heard().isClosed());
      ends.requireThatLinksWork();
      return end.heard().closedReason();
    }

    @Test
    void whoseRingHasARecordThatIsTooLong() throws LinkException {
      peer.record(Records.FRAME, Integer.MAX_VALUE);
      assertThat(untilClosed()).contains("a record of kind 1 with 2147483647 bytes");
    }

    @Test
    void whoseRingHasARecordOfNegativeLength() throws LinkException {
      RingFile.LONG.setRelease(peer.memory, RingFile.HEADER_BYTES, -1L);
      assertThat(untilClosed()).contains("a record of kind -1");
    }

    @Test
    void whoseRingHasALongerFrameThanItTakes() throws LinkException {
      peer.record(Records.FRAME, 100_000);
      assertThat(untilClosed()).contains("a frame of 100000 bytes", "maxFrameBytes");
    }

    @Test
    void whoseRingSkipsToElsewhere() throws LinkException {
      peer.record(Records.SKIP, 100);
      assertThat(untilClosed()).contains("a record of kind 4");
    }

    @Test
    void whosePeerWritesToATargetThatWasNeverOpened() throws LinkException {
      peer.piece(99, 0, 100);
      assertThat(untilClosed()).contains("target 99, which was never opened");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1, 200, Long.MAX_VALUE, Long.MIN_VALUE})
    void whosePeerWritesBesideItsTarget(long at) throws LinkException {
      BulkPort port = Objects.requireNonNull(end.link().bulk());
      MemorySegment memory = Arena.ofAuto().allocate(200);
      BulkRegion region = port.attach(memory.asSlice(50, 100), MemoryLife.HELD);
      assertThat(port.open(region, 0, 100, upTo -> fail()).advertisement()).hasSize(16);
      peer.piece(1, at, 100);
      assertThat(untilClosed()).contains("target 1, which has 100, and 0 is next");
      assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    }

    private static void fail() {
      throw new AssertionError("told of bytes that were not taken");
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 1 << 20, Long.MAX_VALUE, Long.MIN_VALUE})
    void whosePeerSaysThatItHasReadWhatWasNeverWritten(long lie) throws LinkException {
      RingFile.LONG.setRelease(peer.memory, RingFile.consumed(true), lie);
      byte[] frame = new byte[50_000];
      ends.stepUntil(
          "the end of the link",
          () -> {
            end.send(frame);
            return end.heard().isClosed();
          });
      assertThat(untilClosed()).contains("the peer reports that it has consumed");
    }

    @Test
    void whoseFileIsTruncatedWhileItWaitsForFrames() throws Exception {
      peer.truncate(0);
      assertThat(untilClosed()).contains("truncated");
    }

    @Test
    void whoseFileIsTruncatedUnderASender() throws Exception {
      peer.truncate(RingFile.HEADER_BYTES);
      assertThat(end.send(new byte[30_000])).isNotNull();
      end.link().flush();
      assertThat(untilClosed()).contains("truncated");
    }

    @Test
    void whoseRingChangesAllTheTime() throws Exception {
      Random random = Seed.random("a ring that changes all the time");
      long bytes = peer.memory.byteSize();
      for (int i = 0; i < 20_000 && !end.heard().isClosed(); i++) {
        long at = random.nextLong(bytes / 8) * 8;
        long any = random.nextBoolean() ? random.nextLong() : random.nextInt(100_000);
        peer.memory.set(ValueLayout.JAVA_LONG, at, any);
        if (i % 100 == 0) {
          peer.record(1 + random.nextInt(4), random.nextInt(70_000));
        }
        ends.step();
        if (!end.heard().isClosed()) {
          end.send(new byte[1000]);
          end.link().flush();
        }
      }
      peer.memory.asSlice(RingFile.HEADER_BYTES).fill((byte) -1); // wherever the reader is by now
      untilClosed();
    }
  }

  @Test
  void requestsThatMakeNoSenseAreDeclined() {
    for (byte[] request : List.of(new byte[0], new byte[4], new byte[5], new byte[] {1, 8})) {
      assertThatThrownBy(
              () ->
                  ends.passive.offer(request, TwoEnds.HERE, TwoEnds.OPTIONS, new TwoEnds.Outcome()))
          .isInstanceOf(LinkException.class)
          .hasMessageContaining("version");
      assertThat(ends.provider.understands(request)).isFalse();
    }
    assertThat(ends.provider.understands(ShmOffer.request())).isTrue();
  }
}
