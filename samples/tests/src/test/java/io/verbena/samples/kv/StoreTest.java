package io.verbena.samples.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store and those who use it. */
class StoreTest {
  private static final int BYTES = 20_000_001;

  private final VerbenaServer server = StoreServer.start(atAnyPort());
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Session session = client.connect(server.address().toString());
  private final StoreClient store = new StoreClient(session);

  private static VerbenaServer.Builder atAnyPort() {
    return VerbenaServer.builder().listen("127.0.0.1:0");
  }

  @AfterEach
  void close() {
    session.close();
    client.close();
    server.close();
  }

  private static byte[] value(int bytes) {
    byte[] value = new byte[bytes];
    new Random(bytes).nextBytes(value);
    return value;
  }

  @Test
  void aValueGoesFromMemoryToMemory() throws NoSuchKey {
    goesThereAndBack(store);
  }

  @Test
  void overRdmaAValueIsWrittenIntoTheMemoryOfWhoeverWantsIt() throws NoSuchKey {
    try (OverRdma over = new OverRdma(atAnyPort())) {
      goesThereAndBack(new StoreClient(over.session));
      over.endSession();
      assertThat(over.using.counters().bulkBytes()).as("put").isGreaterThanOrEqualTo(BYTES);
      assertThat(over.keeping.counters().bulkBytes()).as("got").isGreaterThanOrEqualTo(BYTES);
    }
  }

  private static void goesThereAndBack(StoreClient store) throws NoSuchKey {
    byte[] value = value(BYTES);
    store.put("film", Source.of(value));
    assertThat(store.store().length("film")).contains((long) BYTES);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment mine = arena.allocate(value.length + 1);
      Received received = store.get("film", Landing.of(mine));
      assertThat(received.length()).isEqualTo(value.length);
      assertThat(received.memory().mismatch(MemorySegment.ofArray(value))).isEqualTo(-1);
      assertThat(received.memory().address()).isEqualTo(mine.address());
    }
  }

  @Test
  void anEmptyValueIsAValue() throws NoSuchKey {
    store.put("nothing", Source.of(new byte[0]));
    try (Received received = store.get("nothing", Landing.pooled(10))) {
      assertThat(received.length()).isZero();
    }
  }

  @Test
  void aValueThatIsTooLongIsRefusedBeforeThereIsMemoryForIt() {
    ObjectRef claimed = new ObjectRef(1, 1, Long.MAX_VALUE);
    assertThatThrownBy(() -> store.store().put("huge", claimed))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("a value has at most 4294967296 bytes, and that of 'huge' has");
  }

  @Test
  void aNewValueReplacesTheOldOneAndARemovedOneIsGone() throws NoSuchKey {
    store.put("key", Source.of(value(3_000_000)));
    store.put("key", Source.of(value(5)));
    try (Received received = store.get("key", Landing.pooled(3_000_000))) {
      assertThat(received.memory().mismatch(MemorySegment.ofArray(value(5)))).isEqualTo(-1);
    }
    assertThat(store.store().remove("key")).isTrue();
    assertThat(store.store().length("key")).isEmpty();
    assertThatThrownBy(() -> store.get("key", Landing.pooled(10)))
        .isInstanceOf(NoSuchKey.class)
        .hasMessage("there is no 'key'");
  }

  @Test
  void filesArePutAndGotByTheCommand(@TempDir Path directory) throws Exception {
    Path from = Files.write(directory.resolve("from"), value(9_000_000));
    Path to = directory.resolve("to");
    String address = server.address().toString();
    StoreClient.main(new String[] {address, "put", "file", from.toString()});
    StoreClient.main(new String[] {address, "get", "file", to.toString()});
    assertThat(Files.mismatch(from, to)).isEqualTo(-1);
  }
}
