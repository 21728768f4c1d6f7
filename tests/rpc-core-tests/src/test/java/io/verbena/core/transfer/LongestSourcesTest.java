package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources as long as a length can be, and longer. */
class LongestSourcesTest {
  private static final Source LONGEST =
      Source.generator(Long.MAX_VALUE, (chunk, offset) -> chunk.fill((byte) offset));

  private final BulkWorld bulk = new BulkWorld();

  @AfterEach
  void theSessionGoesOn() {
    bulk.accepted.getFirst().objects().onPush(offer -> Landing.pooled(1));
    bulk.await(bulk.session.objects().push("one more", Source.of(new byte[1])));
    assertThat(bulk.accepted).hasSize(1);
    bulk.assertNothingLeft();
    bulk.close();
  }

  @Test
  void piecesThatAreTooLongTogetherAreNoSource() {
    bulk.open();
    Source one = Source.generator(1, (chunk, offset) -> {});
    Source halves =
        Source.gathered(
            Source.generator(Long.MAX_VALUE / 2, (chunk, offset) -> {}),
            Source.generator(Long.MAX_VALUE / 2, (chunk, offset) -> {}),
            one);
    assertThat(halves.length()).isEqualTo(Long.MAX_VALUE);
    for (Source longest : List.of(LONGEST, halves)) {
      assertThatThrownBy(() -> Source.gathered(longest, one))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("length");
    }
  }

  @Test
  void thePartsOfTheLongestSourceAreFetched() {
    for (Source longest : List.of(LONGEST, Source.gathered(Source.of(new byte[0]), LONGEST))) {
      ObjectRef ref = bulk.publish(longest);
      for (long from : new long[] {0, Long.MAX_VALUE / 2, Long.MAX_VALUE - 5}) {
        try (Received part =
            bulk.await(
                bulk.session
                    .objects()
                    .fetch(ref, from, 5, Landing.pooled(5), TransferOptions.DEFAULT))) {
          byte[] expected = new byte[5];
          Arrays.fill(expected, (byte) from);
          assertThat(part.memory().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void theLongestSourceIsPushedUntilItIsCancelled(@TempDir Path folder) {
    bulk.open();
    AtomicLong arrived = new AtomicLong();
    List<Landing> landings =
        List.of(
            Landing.chunks((chunk, offset) -> arrived.addAndGet(chunk.byteSize())),
            Landing.file(folder.resolve("endless")));
    for (Landing landing : landings) {
      bulk.accepted.getFirst().objects().onPush(offer -> landing);
      Transfer push = bulk.session.objects().push("endless", LONGEST);
      bulk.steps(2_000);
      assertThat(BulkWorld.isOver(push)).isFalse();
      push.cancel();
      bulk.awaitFailure(push);
    }
    assertThat(arrived).hasPositiveValue();
  }

  @Test
  void theLongestSourceFailsAloneWhereItDoesNotFit() {
    bulk.open();
    MemorySegment room = bulk.room(100);
    for (Landing landing :
        List.of(Landing.pooled(Long.MAX_VALUE), Landing.pooled(9), Landing.of(room))) {
      bulk.accepted.getFirst().objects().onPush(offer -> landing);
      bulk.awaitFailure(bulk.session.objects().push("endless", LONGEST));
    }
  }
}
