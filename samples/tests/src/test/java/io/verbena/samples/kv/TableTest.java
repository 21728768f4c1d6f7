package io.verbena.samples.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The table of small values and those who read it by themselves. */
class TableTest {
  private static final int BUCKETS = 1 << 16;
  private static final int READS = 1_000;
  private static final int LONGEST = 100;

  private final VerbenaServer server = StoreServer.start(atAnyPort());
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Session session = client.connect(server.address().toString());
  private final TableClient table = new TableClient(session);

  private static VerbenaServer.Builder atAnyPort() {
    return VerbenaServer.builder().listen("127.0.0.1:0").drainTime(Duration.ofMillis(100));
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  /** A value that tells by each of its bytes what it is as a whole. */
  private static byte[] value(int number) {
    byte[] value = new byte[1 + number % LONGEST];
    Arrays.fill(value, (byte) value.length);
    return value;
  }

  private static void isWhole(byte[] read) {
    assertThat(read).hasSize(read[0]).containsOnly(read[0]);
  }

  @Test
  void aValueIsReadWhereItLies() throws Exception {
    assertThat(table.get("rose")).isEmpty();
    table.put("rose", value(7));
    assertThat(table.get("rose")).contains(value(7));
    table.put("rose", value(80));
    assertThat(table.get("rose")).contains(value(80));
    assertThat(table.byCalls().get("rose")).contains(value(80));
  }

  @Test
  void whereAnotherKeyHasTheBucketTheValueIsCalledFor() throws Exception {
    long bytes = BUCKETS * Bucket.LAYOUT.byteSize();
    long place = Bucket.place("rose", bytes);
    String other = "";
    for (int i = 0; other.isEmpty(); i++) {
      other = Bucket.place("key" + i, bytes) == place ? "key" + i : "";
    }
    table.put("rose", value(7));
    assertThat(table.get(other)).isEmpty();
    table.put(other, value(8));
    assertThat(table.get(other)).contains(value(8));
    assertThat(table.get("rose")).contains(value(7));
  }

  @Test
  void aValueThatIsTooLongForABucketIsRefused() {
    assertThatThrownBy(() -> table.put("key", new byte[Bucket.ROOM]))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("at most 240: 'key' has 243");
  }

  @Test
  void readsAreNeverTornWhileTheServerWrites() throws Exception {
    isNeverTorn(session, table);
  }

  @Test
  @Tag("long")
  void norOverRdmaWhereItsProcessorDoesNotKnowOfThem() throws Exception {
    try (OverRdma over = new OverRdma(atAnyPort())) {
      isNeverTorn(over.session, new TableClient(over.session));
      assertThat(over.keeping.counters().openBytes())
          .as("open to the reader's device")
          .isEqualTo(BUCKETS * Bucket.LAYOUT.byteSize());
    }
  }

  private static void isNeverTorn(Session session, TableClient table) throws Exception {
    table.put("rose", value(0));
    AtomicBoolean over = new AtomicBoolean();
    TableRpc.Async calls = TableRpc.async(session);
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; !over.get(); i += 4) {
                CompletableFuture.allOf(
                        calls.put("rose", value(i)).toCompletableFuture(),
                        calls.put("rose", value(i + 1)).toCompletableFuture(),
                        calls.put("rose", value(i + 2)).toCompletableFuture(),
                        calls.put("rose", value(i + 3)).toCompletableFuture())
                    .join();
              }
            });
    int changed = 0;
    byte[] before = {};
    for (int i = 0; i < READS; i++) {
      Optional<byte[]> read = table.get("rose");
      isWhole(read.orElseThrow());
      changed += Arrays.equals(before, read.get()) ? 0 : 1;
      before = read.get();
    }
    over.set(true);
    writing.join();
    assertThat(changed).as("values that were read").isGreaterThan(10);
  }
}
