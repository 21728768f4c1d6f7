package io.verbena.samples.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
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
  private final VerbenaServer server = StoreServer.start("127.0.0.1:0");
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Session session = client.connect(server.address().toString());
  private final StoreClient store = new StoreClient(session);

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
    byte[] value = value(20_000_001);
    store.put("film", Source.of(value));
    assertThat(store.store().length("film")).contains(20_000_001L);
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
