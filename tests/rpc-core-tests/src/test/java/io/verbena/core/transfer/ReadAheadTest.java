package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers that ask for files and do not take them, and what others' files find of the memory. */
class ReadAheadTest {
  private static final int LENGTH = 6 << 20;

  @TempDir Path directory;

  private final BulkWorld bulk = new BulkWorld();
  private final LinkDriver attacker = bulk.world.network().newDriver(() -> {});
  private final List<RawSession> raws = new ArrayList<>();
  private MemorySegment content = MemorySegment.NULL;
  private ObjectRef file = new ObjectRef(1, 1, 1);

  @BeforeEach
  void theServerHasAFile() throws IOException {
    bulk.open();
    content = bulk.bytes(LENGTH, 7);
    Path path = directory.resolve("file");
    Files.write(path, content.toArray(ValueLayout.JAVA_BYTE));
    file = bulk.publish(Source.file(path));
  }

  @AfterEach
  void nothingIsLeftOfPeersThatAreGone() {
    raws.forEach(RawSession::leave);
    attacker.close();
    bulk.world.pass(Duration.ofSeconds(12));
    bulk.assertNothingLeft();
    bulk.close();
  }

  /** Asks for the file so often, opens memory for all of it, and takes nothing from then on. */
  private void askAndTakeNothing(int times) throws LinkException {
    RawSession raw = RawSession.open(bulk, attacker);
    raws.add(raw);
    for (int i = 1; i <= times; i++) {
      long transfer = (long) i << 3 | 1;
      raw.fetch(transfer, file, 0, LENGTH);
      RawSession.settle(bulk, attacker);
      raw.grantFirst(transfer, bulk.room(LENGTH));
      bulk.world.settle(); // and the attacker does not look
    }
  }

  @Test
  void peersThatTakeNothingLeaveOthersTheirPart() throws LinkException {
    for (int peer = 0; peer < 3; peer++) {
      askAndTakeNothing(4);
    }
    assertThat(bulk.server.bulkStats().memoryInUse()).as("what they hold").isGreaterThan(4 << 20);
    MemorySegment room = bulk.room(LENGTH);
    Transfer transfer = bulk.fetch(file, Landing.of(room));
    bulk.await(transfer);
    assertThat(room.mismatch(content)).as("where it differs").isEqualTo(-1);
  }

  /** A receiver would wait for more before it confirms, and the sender has no more memory. */
  @Test
  void aSenderWithLittleMemoryGoesOnOverALinkWithALargeWindow() throws IOException {
    try (SteppedWorld world =
        new SteppedWorld(
            SessionLimits.DEFAULT, InMemoryNetwork.DEFAULT_RING_FRAMES, BulkMemory.CHUNK_BYTES)) {
      VerbenaServer server = world.server(s -> s.bulkMemoryBytes(2L * BulkMemory.CHUNK_BYTES));
      ObjectRef ref = server.publish(Source.file(directory.resolve("file")), BulkWorld.LEASE).ref();
      try (Received received =
          world.result(
              BulkWorld.future(
                  world
                      .client()
                      .session(world.address())
                      .objects()
                      .fetch(ref, Landing.pooled(LENGTH))))) {
        assertThat(received.memory().mismatch(content)).isEqualTo(-1);
      }
    }
  }
}
