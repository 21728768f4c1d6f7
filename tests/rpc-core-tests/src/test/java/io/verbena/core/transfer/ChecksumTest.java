package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.LinkDriver;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that do not have the source's checksum fail their transfer, and are given to nobody. */
class ChecksumTest {
  private static final int LENGTH = 300_000;
  private static final long FIRST = 1 << 3 | 1;

  private final BulkWorld bulk = new BulkWorld();

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  /** The destination of an object. */
  private enum Into {
    MEMORY,
    POOL,
    CHUNKS,
    FILE
  }

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  private Landing landing(Into into) {
    return switch (into) {
      case MEMORY -> Landing.of(bulk.room(LENGTH));
      case POOL -> Landing.pooled(LENGTH);
      case CHUNKS -> Landing.chunks((chunk, offset) -> {});
      case FILE -> Landing.file(directory.resolve("file"));
    };
  }

  /** Memory is summed when its transfer begins, and sent from where it is. */
  @ParameterizedTest
  @EnumSource(Into.class)
  void memoryThatChangesOnItsWayFails(Into into) {
    MemorySegment bytes = bulk.bytes(LENGTH, 1);
    ObjectRef ref = bulk.publish(Source.of(bytes));
    bulk.open();
    Transfer transfer =
        bulk.session.objects().fetch(ref, landing(into), TransferOptions.DEFAULT.withChecksum());
    for (int i = 0; i < 1000 && transfer.progress().bytes() == 0; i++) {
      bulk.steps(1);
    }
    assertThat(transfer.progress().bytes()).isBetween(1L, LENGTH - 1L);
    byte last = bytes.get(ValueLayout.JAVA_BYTE, LENGTH - 1);
    bytes.set(ValueLayout.JAVA_BYTE, LENGTH - 1, (byte) (last ^ 1));
    TransferException failure = bulk.awaitFailure(transfer);
    assertThat(failure.status()).isEqualTo(RpcStatus.PROTOCOL_ERROR);
    assertThat(failure)
        .hasMessageContaining("its checksum is ")
        .hasMessageContaining("the object changed on the way");
    assertThat(directory).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPeerThatTellsAnotherChecksumFailsItsPush(boolean intoFile) throws Exception {
    List<Received> taken = new ArrayList<>();
    List<Transfer> offered = new ArrayList<>();
    LinkDriver attacker = bulk.world.network().newDriver(() -> {});
    RawSession raw = RawSession.open(bulk, attacker);
    Path file = Files.write(directory.resolve("file"), new byte[] {1, 2, 3});
    bulk.accepted
        .getFirst()
        .objects()
        .onPush(
            new PushHandler() {
              @Override
              public Landing offered(Offer offer) {
                offered.add(offer.transfer());
                return intoFile ? Landing.file(file) : Landing.pooled(0);
              }

              @Override
              public void received(Offer offer, Received object) {
                taken.add(object);
              }
            });
    raw.say(
        FrameKind.BULK_OFFER,
        FIRST,
        out -> {
          out.writeVarLong(0);
          out.writeByte(1); // checked
          out.writeString("x");
        });
    raw.say(FrameKind.BULK_SENT, FIRST, out -> out.writeInt(0x1234));
    RawSession.settle(bulk, attacker);
    assertThat(raw.heard).contains(FrameKind.BULK_CANCEL).doesNotContain(FrameKind.BULK_DONE);
    TransferException failure = bulk.awaitFailure(offered.getFirst());
    assertThat(failure.status()).isEqualTo(RpcStatus.PROTOCOL_ERROR);
    assertThat(failure).hasMessageContaining("its checksum is 00000000, the sender's is 00001234");
    assertThat(taken).isEmpty();
    assertThat(directory).isDirectoryContaining("glob:**/file");
    assertThat(Files.readAllBytes(file)).containsExactly(1, 2, 3);
    attacker.close();
  }
}
