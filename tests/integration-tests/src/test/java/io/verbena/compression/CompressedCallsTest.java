package io.verbena.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.CallOptions;
import io.verbena.api.Metadata;
import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.core.EngineBuilder;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.stat.CompressionStat;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.Stats;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls, streams and one-way calls whose messages both ends compress, or one of them alone. */
class CompressedCallsTest {
  private static final int FROM = 512;
  private static final String PAGE =
      "{\"name\":\"verbena\",\"leaves\":[3,3,3]},".repeat(60); // 2 KiB
  private static final String BOOK = PAGE.repeat(100);

  private final PlainLibrary library = new PlainLibrary();
  private final List<AutoCloseable> open = new ArrayList<>();

  private Session session(
      String address, @Nullable Integer clientFrom, @Nullable Integer serverFrom) throws Exception {
    VerbenaServer.Builder server =
        VerbenaServer.builder().listen(address).serve(LibraryRpc.bind(library));
    VerbenaClient.Builder client = VerbenaClient.builder();
    return session(set(client, clientFrom), set(server, serverFrom));
  }

  private static <B extends EngineBuilder<B>> B set(B builder, @Nullable Integer from) {
    return from == null ? builder : builder.compressFromBytes(from);
  }

  private Session session(VerbenaClient.Builder client, VerbenaServer.Builder server)
      throws Exception {
    VerbenaServer started = server.start();
    open.add(started);
    VerbenaClient built = client.build();
    open.add(built);
    return built.connect(started.address().toString());
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      if (one instanceof VerbenaClient client) {
        await().until(() -> client.sharedBytesInUse() == 0);
      }
      one.close();
    }
  }

  private static @Nullable CompressionStat stat(String kind) {
    List<EngineStat> engines =
        Stats.engines().stream().filter(one -> one.name().startsWith(kind)).toList();
    assertThat(engines).hasSize(1);
    return engines.getFirst().compression();
  }

  private static CompressionStat sent(String kind) {
    CompressionStat stat = stat(kind);
    return stat == null ? new CompressionStat(-1, -1, -1) : stat;
  }

  private void everyKindOfMessageArrives(Session session) throws Exception {
    Library stub = LibraryRpc.client(session);
    assertThat(stub.copy(PAGE)).isEqualTo(PAGE);
    assertThat(stub.copy(BOOK)).as("in several frames").isEqualTo(BOOK);
    assertThat(stub.copy("short")).isEqualTo("short");
    assertThat(stub.copy("")).isEmpty();
    assertThat(stub.glance(PAGE)).as("nonBlocking").isEqualTo(PAGE);
    assertThat(stub.glance(BOOK)).isEqualTo(BOOK);
    byte[] large = new byte[4 << 20];
    assertThat(stub.scan(large)).as("beside its message").isEqualTo(large);
    assertThatThrownBy(() -> stub.note(PAGE)).isInstanceOf(Library.Missing.class).hasMessage(PAGE);
    try (StreamIterator<String> each = Streams.iterate(stub.pages(PAGE, 300))) {
      for (int i = 0; i < 300; i++) {
        assertThat(each.next()).isEqualTo(i + PAGE);
      }
      assertThat(each.hasNext()).isFalse();
    }
    assertThat(stub.count(Streams.of(Collections.nCopies(300, PAGE))))
        .isEqualTo(300L * PAGE.length());
    stub.shelve(List.of(PAGE, PAGE));
    assertThat(library.shelved.poll(20, TimeUnit.SECONDS)).containsExactly(PAGE, PAGE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem://library", "tcp://127.0.0.1:0"})
  void everyKindOfMessageArrivesAndIsShorterOnTheWay(String address) throws Exception {
    everyKindOfMessageArrives(session(address, FROM, FROM));
    for (String end : List.of("client", "server")) {
      CompressionStat sent = sent(end);
      assertThat(sent.messages()).as(end).isGreaterThan(10);
      assertThat(sent.bytes()).as(end).isPositive().isLessThan(sent.plainBytes() / 5);
    }
  }

  @Test
  void aServerThatDoesNotTakeThemGetsNoneAndSendsNone() throws Exception {
    everyKindOfMessageArrives(session("127.0.0.1:0", FROM, null));
    assertThat(sent("client").messages()).isZero();
    assertThat(stat("server")).isNull();
  }

  @Test
  void aClientThatDoesNotTakeThemGetsNoneAndSendsNone() throws Exception {
    everyKindOfMessageArrives(session("127.0.0.1:0", null, FROM));
    assertThat(sent("server").messages()).isZero();
    assertThat(stat("client")).isNull();
  }

  @Test
  void whatIsShorterThanAnEndsOwnThresholdStaysAsItIs() throws Exception {
    Session session = session("127.0.0.1:0", 4 * PAGE.length(), FROM);
    Library stub = LibraryRpc.client(session);
    assertThat(stub.copy(PAGE)).isEqualTo(PAGE);
    assertThat(sent("client").messages()).isZero();
    assertThat(sent("server").messages()).isOne();
    stub.copy("short");
    assertThat(sent("server").messages()).isOne();
    stub.copy(BOOK);
    assertThat(sent("client").messages()).isOne();
  }

  @Test
  void whatDoesNotGetShorterStaysAsItIs() throws Exception {
    Session session = session("127.0.0.1:0", 1, 1);
    Library stub = LibraryRpc.client(session);
    Random random = new Random(7);
    for (int length = 0; length < 3_000; length += 37) {
      byte[] noise = new byte[length];
      random.nextBytes(noise);
      assertThat(stub.scan(noise)).isEqualTo(noise);
    }
    assertThat(sent("client").messages()).isZero();
    assertThat(sent("server").messages()).isZero();
    for (int length = 0; length < 20_000; length += 111) {
      String text = "ab".repeat(length / 2);
      assertThat(stub.copy(text)).isEqualTo(text);
    }
    assertThat(sent("client").messages()).isGreaterThan(100);
  }

  @Test
  @Tag("long")
  void resultsCountAsLongAsTheirHandlersMakeThem() throws Exception {
    VerbenaServer.Builder server = VerbenaServer.builder().listen("127.0.0.1:0");
    server.serve(LibraryRpc.bind(library)).maxReplyBytes(8 << 20);
    Session session = session(set(VerbenaClient.builder(), FROM), set(server, FROM));
    LibraryRpc.Async stub = LibraryRpc.async(session);
    String text = "a".repeat(1 << 20); // a few KiB on the wire
    for (int i = 0; i < 3; i++) {
      assertThat(stub.copy(text).toCompletableFuture().join()).isEqualTo(text);
    }
    library.copyMillis = 50;
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      calls.add(stub.copy(text).toCompletableFuture());
    }
    calls.forEach(call -> assertThat(call.join()).isEqualTo(text));
    assertThat(library.most).hasValueLessThanOrEqualTo(4);
  }

  @Test
  void metadataGoAlongAsTheyAre() throws Exception {
    Session session = session("127.0.0.1:0", FROM, FROM);
    Metadata.Key<String> trace = Metadata.Key.text("trace");
    Metadata along = Metadata.EMPTY.with(trace, "t".repeat(2_000));
    Library stub = LibraryRpc.client(session, CallOptions.DEFAULT.withMetadata(along));
    assertThat(stub.copy(PAGE)).isEqualTo(PAGE);
    assertThat(stub.copy(BOOK)).isEqualTo(BOOK);
    CompressionStat sent = sent("client");
    assertThat(sent.messages()).isEqualTo(2);
    assertThat(sent.plainBytes())
        .as("arguments alone")
        .isLessThan(BOOK.length() + PAGE.length() + 10L);
    assertThat(stub.copy("short")).as("however long they are").isEqualTo("short");
    assertThat(sent("client").messages()).isEqualTo(2);
  }
}
