package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.SteppedWorld;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that are published by a name outlive the process that published them. */
class NamedObjectsTest {
  private static final int LENGTH = 3 << 20;
  private static final String NAME = "films/monday";
  private static final ObjectRef REF = ObjectRef.named(NAME, LENGTH);

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  private final MemorySegment bytes;
  private final BulkWorld bulk;

  NamedObjectsTest() {
    byte[] random = new byte[LENGTH];
    new java.util.Random(1).nextBytes(random);
    bytes = MemorySegment.ofArray(random);
    bulk = new BulkWorld(false, server -> server.publish(NAME, Source.of(bytes), BulkWorld.LEASE));
  }

  @AfterEach
  void close() {
    bulk.close();
  }

  /** Ends the server, and starts one that offers this by the name. */
  private VerbenaServer restart(Source source) {
    bulk.server.close();
    bulk.world.pass(Duration.ofMillis(100));
    return bulk.world.server(server -> server.publish(NAME, source, BulkWorld.LEASE));
  }

  private void assertFetched() {
    try (Received received = bulk.await(bulk.fetch(REF, Landing.pooled(LENGTH)))) {
      assertThat(received.memory().mismatch(bytes)).isEqualTo(-1);
    }
  }

  @Test
  void isThereForTheFirstClientAndAfterTheServerIsStartedAgain() {
    assertFetched();
    restart(Source.of(bytes));
    assertFetched();
  }

  @Test
  void aFileGoesOnFromTheServerThatWasStartedAgain() throws IOException {
    Path file = directory.resolve("film");
    Transfer cut = cutShort(file);
    assertThat(cut.progress().bytes()).isBetween(1L << 20, LENGTH - 1L);
    restart(Source.of(bytes));
    Transfer again = bulk.fetch(REF, Landing.file(file));
    bulk.await(again);
    assertThat(again.progress().resumedFrom()).isPositive();
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void aFileBeginsAnewWhereTheNameStandsForOtherBytesNow() throws IOException {
    Path file = directory.resolve("film");
    cutShort(file);
    MemorySegment other = bulk.bytes(LENGTH, 2);
    restart(Source.of(other));
    Transfer again = bulk.fetch(REF, Landing.file(file));
    bulk.await(again);
    assertThat(again.progress().resumedFrom()).isZero();
    assertThat(Files.readAllBytes(file)).isEqualTo(other.toArray(ValueLayout.JAVA_BYTE));
  }

  /** Has the server end with more than a block of the object in its place. */
  private Transfer cutShort(Path file) {
    Transfer transfer = bulk.fetch(REF, Landing.file(file));
    while (transfer.progress().bytes() < 3 << 19) {
      bulk.steps(1);
    }
    bulk.server.close();
    bulk.awaitFailure(transfer);
    return transfer;
  }

  @Test
  void anotherLengthIsToldFromAnObjectThatIsNotThere() {
    restart(Source.of(bulk.bytes(10, 1)));
    TransferException other = bulk.awaitFailure(bulk.fetch(REF, Landing.pooled(LENGTH)));
    assertThat(other).hasMessageContaining("does not have the referenced length");
    assertThat(other.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    TransferException none =
        bulk.awaitFailure(bulk.fetch(ObjectRef.named("films/x", 1), Landing.pooled(1)));
    assertThat(none).hasMessageContaining("no object with that name is published");
    assertThat(none.status()).isEqualTo(RpcStatus.UNAVAILABLE);
  }

  @Test
  void aFailureNamesItByItsNameWhereThatIsKnown() {
    ObjectRef beyond = new ObjectRef(REF.id(), REF.key(), LENGTH + 1);
    assertThat(bulk.awaitFailure(bulk.fetch(beyond, Landing.pooled(LENGTH + 1))))
        .hasMessageContaining("object '" + NAME + "' of " + LENGTH + " bytes has no range");
    Published clock = bulk.server.publish("clock", Source.of(bytes), BulkWorld.LEASE);
    Transfer fetched = bulk.fetch(clock.ref(), Landing.pooled(LENGTH));
    while (clock.fetches().isEmpty()) {
      bulk.steps(1);
    }
    Transfer sent = clock.fetches().getFirst().transfer();
    fetched.cancel();
    assertThat(bulk.awaitFailure(sent)).hasMessageContaining("object 'clock'");
  }

  @Test
  void aNameIsOneObjectsUntilThatIsClosed() {
    Source more = Source.of(bulk.bytes(10, 1));
    assertThatThrownBy(() -> bulk.server.publish(NAME, more, BulkWorld.LEASE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'" + NAME + "' is already published: close it first");
    Published first = bulk.server.publish("clock", more, BulkWorld.LEASE);
    first.close();
    try (Published second = bulk.server.publish("clock", more, BulkWorld.LEASE)) {
      assertThat(second.ref()).isEqualTo(first.ref()).isEqualTo(ObjectRef.named("clock", 10));
      assertThat(first.isAvailable()).isFalse();
      first.close();
      assertThat(second.isAvailable()).isTrue();
      bulk.await(bulk.fetch(second.ref(), Landing.pooled(10))).close();
    }
  }

  @Test
  void aServerDoesNotStartWithoutAFileThatItPublishes() {
    SteppedWorld world = new SteppedWorld();
    Source lost = Source.file(directory.resolve("lost"), 0, 1);
    assertThatThrownBy(() -> world.server(s -> s.publish(NAME, lost, BulkWorld.LEASE)))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("lost");
    world.close();
  }
}
