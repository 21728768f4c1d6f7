package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Source;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that lies about what is there from before loses its session, and costs little. */
class HostileResumeTest {
  private static final long FIRST = 1 << 3 | 1;
  private static final int LENGTH = 100_000;
  private static final int BLOCK = 1 << 20;

  private final BulkWorld bulk = new BulkWorld();
  private final LinkDriver attacker = bulk.world.network().newDriver(() -> {});
  private final byte[] content = bulk.bytes(LENGTH, 1).toArray(ValueLayout.JAVA_BYTE);
  private final ObjectRef ref = bulk.publish(Source.of(content));

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @BeforeEach
  void anHonestClientHasItsSession() {
    bulk.await(bulk.fetch(ref, Landing.pooled(LENGTH))).close();
    bulk.assertNothingLeft();
  }

  @AfterEach
  void theHonestClientIsServedAndNothingIsLeft() {
    bulk.await(bulk.fetch(ref, Landing.pooled(LENGTH))).close();
    attacker.close();
    bulk.world.pass(Duration.ofSeconds(10));
    bulk.assertNothingLeft();
    bulk.close();
  }

  private RawSession open() {
    return RawSession.open(bulk, attacker);
  }

  private void settle() {
    RawSession.settle(bulk, attacker);
  }

  private static void resume(RawSession raw, long transfer, long upTo, int sum) {
    raw.say(
        FrameKind.BULK_RESUME,
        transfer,
        out -> {
          out.writeVarLong(upTo);
          out.writeInt(sum);
        });
  }

  private static int sum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, LENGTH, LENGTH + 1, Long.MAX_VALUE, Long.MIN_VALUE})
  void beginningsThatCannotBe(long upTo) {
    RawSession raw = open();
    raw.fetch(FIRST, ref, 0, LENGTH);
    resume(raw, FIRST, upTo, 0);
    settle();
    assertThat(raw.closed).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void aBeginningThatIsToldTwice(long upTo) {
    RawSession raw = open();
    raw.fetch(FIRST, ref, 0, LENGTH);
    resume(raw, FIRST, upTo, 0);
    resume(raw, FIRST, upTo, 0);
    settle();
    assertThat(raw.closed).isNotNull();
  }

  @Test
  void aBeginningThatIsToldBehindAGrant() throws LinkException {
    RawSession raw = open();
    raw.fetch(FIRST, ref, 0, LENGTH);
    raw.grantFirst(FIRST, bulk.room(LENGTH));
    resume(raw, FIRST, 10, 0);
    settle();
    assertThat(raw.closed).isNotNull();
  }

  @Test
  void aGrantBeforeItIsSaidWhereTheObjectBegins() throws LinkException {
    RawSession raw = open();
    raw.fetch(FIRST, ref, 0, LENGTH);
    resume(raw, FIRST, 10, sum(content, 10));
    raw.grantFirst(FIRST, bulk.room(LENGTH));
    settle();
    assertThat(raw.closed).isNotNull();
  }

  @Test
  void anotherBeginningIsAnsweredWithItsOwn() {
    RawSession raw = open();
    raw.fetch(FIRST, ref, 0, LENGTH);
    resume(raw, FIRST, LENGTH - 1, sum(content, LENGTH - 1) ^ 1);
    settle();
    assertThat(raw.closed).isNull();
    assertThat(raw.heard).contains(FrameKind.BULK_RESUMED);
    raw.leave();
  }

  @Test
  void aGrantBehindWhereItWasSaidToBegin() throws LinkException {
    RawSession raw = open();
    raw.fetch(FIRST, ref, 0, LENGTH);
    resume(raw, FIRST, 1000, sum(content, 1000));
    settle();
    assertThat(raw.heard).contains(FrameKind.BULK_RESUMED);
    raw.grant(FIRST, 1, 999, 10, new byte[24]);
    settle();
    assertThat(raw.closed).isNotNull();
  }

  /** However many beginnings it claims to have, they are read one after the other. */
  @Test
  void manyBeginningsKeepOneHandlerThreadBusy() {
    ObjectRef large = bulk.publish(Source.of(new byte[40 << 20]));
    RawSession raw = open();
    int count = Boolean.getBoolean("verbena.long") ? 500 : 100; // each looks at those before it
    for (int i = 1; i <= count; i++) {
      raw.fetch((long) i << 3 | 1, large, 0, 40 << 20);
      resume(raw, (long) i << 3 | 1, (40 << 20) - 1, 0);
      attacker.poll();
      bulk.world.step();
    }
    assertThat(bulk.server.bulkStats().sending()).isEqualTo(count);
    for (int i = 0; i < 5; i++) {
      assertThat(bulk.world.runHandlers()).isEqualTo(1);
      bulk.world.step();
    }
    raw.leave();
    settle();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 1, BLOCK - 1, 2 * BLOCK, Long.MAX_VALUE})
  void anAnswerThatIsNeitherOfTheTwo(long from) throws IOException {
    RawSession raw = offered(true);
    assertThat(raw.heard).containsExactly(FrameKind.BULK_RESUME);
    raw.say(FrameKind.BULK_RESUMED, FIRST, out -> out.writeVarLong(from));
    settle();
    assertThat(raw.closed).isNotNull();
  }

  @Test
  void anAnswerThatWasNotAskedFor() throws IOException {
    RawSession raw = offered(false);
    assertThat(raw.heard).startsWith(FrameKind.BULK_RESUME, FrameKind.BULK_GRANT);
    raw.say(FrameKind.BULK_RESUMED, FIRST, out -> out.writeVarLong(0));
    settle();
    assertThat(raw.closed).isNotNull();
  }

  @Test
  void anAnswerThatIsGivenTwice() throws IOException {
    RawSession raw = offered(true);
    raw.say(FrameKind.BULK_RESUMED, FIRST, out -> out.writeVarLong(BLOCK));
    settle();
    assertThat(raw.heard).contains(FrameKind.BULK_GRANT);
    raw.say(FrameKind.BULK_RESUMED, FIRST, out -> out.writeVarLong(BLOCK));
    settle();
    assertThat(raw.closed).isNotNull();
  }

  @Test
  void anEndThatComesBeforeTheAnswer() throws IOException {
    RawSession raw = offered(true);
    raw.say(FrameKind.BULK_SENT, FIRST, out -> out.writeInt(0));
    raw.say(FrameKind.BULK_RESUMED, FIRST, out -> out.writeVarLong(BLOCK));
    settle();
    assertThat(raw.heard).contains(FrameKind.BULK_GRANT).doesNotContain(FrameKind.BULK_DONE);
    raw.leave();
  }

  /** Offers an object of three blocks, of which the first may be there from before. */
  private RawSession offered(boolean isPartThere) throws IOException {
    if (isPartThere) {
      byte[] block = new byte[BLOCK];
      Files.write(directory.resolve("file.verbena.part"), block);
      ByteBuffer sums = ByteBuffer.allocate(20);
      sums.putLong(0x56455242454e4131L).putLong(3 * BLOCK).putInt(sum(block, BLOCK));
      Files.write(directory.resolve("file.verbena.sums"), sums.array());
    }
    RawSession raw = open();
    bulk.accepted.getLast().objects().onPush(offer -> Landing.file(directory.resolve("file")));
    raw.say(
        FrameKind.BULK_OFFER,
        FIRST,
        out -> {
          out.writeVarLong(3 * BLOCK);
          out.writeByte(0);
          out.writeString("x");
        });
    settle();
    return raw;
  }
}
