package io.verbena.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.PooledByteBufAllocator;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The behaviour of bulk bytes on a TCP connection beyond that of every link. */
@DisplayName("Bulk bytes on a TCP link")
final class BulkTest {
  private static final int MIB = 1 << 20;

  enum Kind {
    NIO,
    EPOLL,
    TLS;

    /** Several of the largest pieces; ciphers are slow without the second compiler. */
    int length() {
      return (this == TLS ? 2 : 12) * MIB;
    }

    TcpHarness harness() {
      return switch (this) {
        case NIO -> TcpHarness.nio();
        case EPOLL -> TcpHarness.epoll();
        case TLS -> TcpHarness.tls();
      };
    }
  }

  private final Arena arena = Arena.ofShared();
  private final List<Long> arrivals = new ArrayList<>();
  private SteppedLinks links;
  private LinkEnd client;
  private LinkEnd server;
  private BulkPort from;
  private BulkPort to;

  @SuppressWarnings("NullAway.Init") // by open
  BulkTest() {}

  private void open(Kind kind) throws LinkException {
    TcpHarness harness = kind.harness();
    Duration patience = Duration.ofSeconds(10);
    links =
        new SteppedLinks(
            harness,
            LinkOptions.of(64 << 10, patience, harness.clientTls()),
            LinkOptions.of(64 << 10, patience, harness.serverTls()));
    SteppedLinks.Pair pair = links.open();
    client = pair.client();
    server = pair.server();
    from = Objects.requireNonNull(client.link().bulk());
    to = Objects.requireNonNull(server.link().bulk());
  }

  @AfterEach
  void close() {
    links.close();
    arena.close();
  }

  @ParameterizedTest
  @EnumSource
  void leaveNoMemoryOfTheSocketsBehind(Kind kind) throws LinkException {
    open(kind);
    long before = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
    MemorySegment memory = arena.allocate(MIB);
    BulkRegion source = attach(from, memory);
    RemoteTarget remote = remote(target(memory));
    for (int at = 0; at < MIB; at += 1 << 10) {
      write(remote, at, source, 1 << 10);
    }
    links.stepUntil("the bytes", () -> arrivals.contains((long) MIB));
    client.link().close();
    links.stepUntil("the end", () -> server.heard().isClosed());
    links.settle();
    long kept = 2L * MIB; // each driver keeps a few buffers
    assertThat(PooledByteBufAllocator.DEFAULT.pinnedDirectMemory()).isLessThan(before + kept);
  }

  private MemorySegment random(Random random, int bytes) {
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    MemorySegment memory = arena.allocate(bytes);
    MemorySegment.copy(MemorySegment.ofArray(content), 0, memory, 0, bytes);
    return memory;
  }

  private static BulkRegion attach(BulkPort port, MemorySegment memory) throws LinkException {
    return port.attach(memory, MemoryLife.ONCE);
  }

  private BulkTarget target(MemorySegment memory) throws LinkException {
    return to.open(attach(to, memory), 0, memory.byteSize(), arrivals::add);
  }

  private RemoteTarget remote(BulkTarget target) throws LinkException {
    return from.remote(ByteBuffer.wrap(target.advertisement()));
  }

  private void write(RemoteTarget target, long at, BulkRegion source, int length) {
    Runnable never = () -> {};
    links.stepUntil(
        "room for a piece",
        () -> from.write(target, at, source, at, length, true, never) == SendResult.SENT);
  }

  private void frame(int content) {
    byte[] frame = {(byte) content};
    links.stepUntil("room for a frame", () -> client.send(frame) == SendResult.SENT);
    client.link().flush();
  }

  @ParameterizedTest
  @EnumSource
  void landInOrderWithTheFramesAroundThem(Kind kind) throws LinkException {
    landInOrder(kind, arena.allocate(kind.length()));
  }

  @ParameterizedTest
  @EnumSource
  void landOnTheHeapInOrderWithTheFramesAroundThem(Kind kind) throws LinkException {
    landInOrder(kind, MemorySegment.ofArray(new byte[7 + kind.length()]).asSlice(7));
  }

  private void landInOrder(Kind kind, MemorySegment landing) throws LinkException {
    open(kind);
    Random random = Seed.random("bulk bytes land in order with frames");
    int bytes = kind.length();
    MemorySegment content = random(random, bytes);
    RemoteTarget remote = remote(target(landing));
    BulkRegion source = attach(from, content);
    List<String> order = new ArrayList<>();
    server
        .heard()
        .onFrame(frame -> order.add(ByteBuffer.wrap(frame).getInt() + " after " + last(arrivals)));
    List<String> expected = new ArrayList<>();
    int at = 0;
    while (at < bytes) {
      int length = Math.min(1 + random.nextInt(random.nextBoolean() ? 50 : 2 * MIB), bytes - at);
      write(remote, at, source, length);
      at += length;
      for (int i = random.nextInt(4); i > 0; i--) {
        expected.add(expected.size() + " after " + at);
        byte[] frame = new byte[4 + random.nextInt(100)];
        ByteBuffer.wrap(frame).putInt(expected.size() - 1);
        links.stepUntil("room for a frame", () -> client.send(frame) == SendResult.SENT);
      }
    }
    client.link().flush();
    links.stepUntil(
        "all to arrive", () -> last(arrivals) == bytes && order.size() == expected.size());
    assertThat(order).isEqualTo(expected);
    assertThat(landing.mismatch(content)).isEqualTo(-1);
  }

  private static long last(List<Long> arrivals) {
    return arrivals.isEmpty() ? 0 : arrivals.getLast();
  }

  @ParameterizedTest
  @EnumSource
  void areReadUntilTheOwnerHearsThatTheyAreWritten(Kind kind) throws LinkException {
    open(kind);
    MemorySegment content = random(Seed.random("read until written"), from.chunkBytes());
    MemorySegment landing = arena.allocate(content.byteSize() * 40);
    RemoteTarget remote = remote(target(landing));
    BulkRegion source = attach(from, content);
    int[] written = {0};
    int sent = 0;
    // Nobody reads: the link takes little more than it would know to have arrived.
    while (sent < 40
        && from.write(
                remote,
                sent * content.byteSize(),
                source,
                0,
                (int) content.byteSize(),
                true,
                () -> written[0]++)
            == SendResult.SENT) {
      sent++;
      for (int i = 0; i < 20; i++) {
        links.client().poll();
      }
    }
    assertThat(sent).isBetween(1, 4);
    long underWay = (sent - written[0]) * content.byteSize();
    assertThat(underWay).isLessThanOrEqualTo(from.windowBytes());
    int before = client.heard().writables();
    int expected = sent;
    links.stepUntil("all to be written", () -> written[0] == expected);
    links.stepUntil("room", () -> client.heard().writables() > before);
    long all = sent * content.byteSize();
    links.stepUntil("all to arrive", () -> last(arrivals) == all);
  }

  @ParameterizedTest
  @EnumSource
  void comeNoMoreOnceTheirTargetIsClosed(Kind kind) throws LinkException {
    open(kind);
    MemorySegment content = arena.allocate(8L * MIB).fill((byte) 1);
    MemorySegment landing = arena.allocate(8L * MIB);
    BulkTarget closing = target(landing);
    RemoteTarget remote = remote(closing);
    BulkRegion source = attach(from, content);
    write(remote, 0, source, 2 * MIB);
    links.stepUntil("some to land", () -> landing.get(JAVA_BYTE, 0) == 1);
    boolean[] fenced = {false};
    closing.close(() -> fenced[0] = true);
    assertThat(fenced[0]).isTrue();
    int before = arrivals.size();
    landing.fill((byte) 2);
    write(remote, 2 * MIB, source, 6 * MIB);
    frame(1);
    links.stepUntil("the frame behind them", () -> server.heard().frames().size() == 1);
    assertThat(arrivals).hasSize(before);
    assertThat(landing.mismatch(arena.allocate(8L * MIB).fill((byte) 2))).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void doNotArriveInAPause(Kind kind) throws LinkException {
    open(kind);
    MemorySegment landing = arena.allocate(MIB);
    RemoteTarget remote = remote(target(landing));
    server.link().setReceiving(false);
    write(remote, 0, attach(from, arena.allocate(MIB)), MIB);
    links.settle();
    assertThat(arrivals).isEmpty();
    server.link().setReceiving(true);
    links.stepUntil("them to arrive", () -> arrivals.equals(List.of((long) MIB)));
  }

  @ParameterizedTest
  @EnumSource
  void areNotReadAnyMoreOnceTheOwnerHearsOfTheEnd(Kind kind) throws LinkException {
    open(kind);
    try (Arena shortLived = Arena.ofShared()) {
      MemorySegment content = shortLived.allocate(8L * MIB);
      RemoteTarget remote = remote(target(arena.allocate(8L * MIB)));
      frame(1);
      BulkRegion source = attach(from, content);
      write(remote, 0, source, 8 * MIB);
      frame(2);
      client.link().close();
      assertThat(from.write(remote, 8L * MIB, source, 0, 1, true, () -> {}))
          .isEqualTo(SendResult.CLOSED);
      links.stepUntil("the client to hear", () -> client.heard().isClosed());
    }
    links.stepUntil("the server to hear", () -> server.heard().isClosed());
    assertThat(server.heard().frames()).hasSize(2);
    assertThat(arrivals).containsExactly(8L * MIB);
  }

  @ParameterizedTest
  @EnumSource
  void endAtOnceWhenTheLinkIsAborted(Kind kind) throws LinkException {
    open(kind);
    RemoteTarget remote = remote(target(arena.allocate(8L * MIB)));
    write(remote, 0, attach(from, arena.allocate(8L * MIB)), 8 * MIB);
    client.link().abort("enough");
    links.stepClientUntil("the client to hear", () -> client.heard().isClosed());
    assertThat(client.heard().closedReason()).isEqualTo("enough");
    links.stepUntil("the server to hear", () -> server.heard().isClosed());
  }

  @ParameterizedTest
  @EnumSource
  void endTheLinkWhenTheyAreOutOfBounds(Kind kind) throws LinkException {
    open(kind);
    BulkTarget target = target(arena.allocate(100));
    byte[] lie = target.advertisement();
    ByteBuffer.wrap(lie).putLong(8, 1L << 40);
    RemoteTarget remote = from.remote(ByteBuffer.wrap(lie));
    write(remote, 0, attach(from, arena.allocate(101)), 101);
    links.stepUntil("the link to end", () -> server.heard().isClosed());
    assertThat(server.heard().closedReason()).contains("101 bulk bytes").contains("which has 100");
    links.stepUntil("the client to hear", () -> client.heard().isClosed());
  }

  @ParameterizedTest
  @EnumSource
  void endTheLinkWhenOthersAreNext(Kind kind) throws LinkException {
    open(kind);
    MemorySegment landing = arena.allocate(100);
    BulkTarget target = target(landing);
    write(remote(target), 0, attach(from, arena.allocate(20)), 20);
    write(remote(target), 0, attach(from, random(new Random(7), 30)), 30);
    links.stepUntil("the link to end", () -> server.heard().isClosed());
    assertThat(server.heard().closedReason()).contains("30 bulk bytes at 0", "20 is next");
    assertThat(landing.toArray(JAVA_BYTE)).containsOnly(0);
  }

  @ParameterizedTest
  @EnumSource
  void endTheLinkWhenNobodyOpenedTheirTarget(Kind kind) throws LinkException {
    open(kind);
    byte[] lie = target(arena.allocate(100)).advertisement();
    ByteBuffer.wrap(lie).putLong(0, 77);
    write(from.remote(ByteBuffer.wrap(lie)), 0, attach(from, arena.allocate(100)), 100);
    links.stepUntil("the link to end", () -> server.heard().isClosed());
    assertThat(server.heard().closedReason()).contains("target 77").contains("never opened");
  }

  @ParameterizedTest
  @EnumSource
  void endTheLinkWhenTheMemoryTheyGoToIsFreed(Kind kind) throws LinkException {
    open(kind);
    RemoteTarget remote;
    try (Arena shortLived = Arena.ofShared()) {
      remote = remote(target(shortLived.allocate(MIB)));
    }
    write(remote, 0, attach(from, arena.allocate(MIB)), MIB);
    links.stepUntil("the link to end", () -> server.heard().isClosed());
    assertThat(server.heard().closedReason()).contains("freed").contains("arena");
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL"})
  void comeStraightFromAFile(Kind kind, @TempDir Path directory) throws LinkException, IOException {
    open(kind);
    MemorySegment content = random(Seed.random("from a file"), 5 * MIB);
    Path path = Files.write(directory.resolve("file"), content.toArray(JAVA_BYTE));
    MemorySegment landing = arena.allocate(4L * MIB);
    RemoteTarget remote = remote(target(landing));
    int[] written = {0};
    try (FileChannel file = FileChannel.open(path)) {
      assertThat(from.writesFrom(file)).isTrue();
      for (int i = 0; i < 4; i++) {
        long at = (long) i * MIB;
        links.stepUntil(
            "room",
            () ->
                from.writeFile(remote, at, file, 100 + at, MIB, true, () -> written[0]++)
                    == SendResult.SENT);
      }
      links.stepUntil("them to arrive", () -> last(arrivals) == 4L * MIB && written[0] == 4);
      assertThat(landing.mismatch(content.asSlice(100, 4L * MIB))).isEqualTo(-1);
      assertThat(file.isOpen()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL"})
  void endTheLinkWhenTheFileIsShorter(Kind kind, @TempDir Path directory)
      throws LinkException, IOException {
    open(kind);
    Path path = Files.write(directory.resolve("file"), new byte[MIB]);
    RemoteTarget remote = remote(target(arena.allocate(2L * MIB)));
    try (FileChannel file = FileChannel.open(path)) {
      from.writeFile(remote, 0, file, 0, MIB + 1, true, () -> {});
      links.stepUntil("the client to hear", () -> client.heard().isClosed());
      assertThat(client.heard().closedReason()).contains("size");
      assertThat(file.isOpen()).isTrue();
    }
    links.stepUntil("the server to hear", () -> server.heard().isClosed());
    assertThat(arrivals).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void comeFromMappedMemoryThatNobodyMayWrite(Kind kind, @TempDir Path directory)
      throws LinkException, IOException {
    open(kind);
    Path path = Files.write(directory.resolve("file"), new byte[] {1, 2, 3});
    MemorySegment landing = arena.allocate(3);
    RemoteTarget remote = remote(target(landing));
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      MemorySegment mapped = file.map(FileChannel.MapMode.READ_ONLY, 0, 3, arena);
      write(remote, 0, attach(from, mapped), 3);
    }
    links.stepUntil("them to arrive", () -> last(arrivals) == 3);
    assertThat(landing.toArray(JAVA_BYTE)).containsExactly(1, 2, 3);
  }

  @ParameterizedTest
  @EnumSource
  void needMemoryThatTheLoopMayUse(Kind kind) throws LinkException, InterruptedException {
    open(kind);
    MemorySegment[] foreign = new MemorySegment[1];
    MemorySegment[] freed = new MemorySegment[1];
    try (Arena shortLived = Arena.ofShared()) {
      freed[0] = shortLived.allocate(1);
    }
    Thread other = Thread.ofPlatform().start(() -> foreign[0] = Arena.ofConfined().allocate(1));
    other.join();
    assertThatThrownBy(() -> attach(from, foreign[0]))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("Arena.ofShared()");
    assertThatThrownBy(() -> attach(from, freed[0]))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("freed");
  }

  @ParameterizedTest
  @EnumSource
  void refuseAdvertisementsThatMakeNoSense(Kind kind) throws LinkException {
    open(kind);
    for (byte[] nonsense : List.of(new byte[0], new byte[15], new byte[17], negative())) {
      assertThatThrownBy(() -> from.remote(ByteBuffer.wrap(nonsense)))
          .isInstanceOf(LinkException.class);
    }
  }

  private static byte[] negative() {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(1).putLong(-1).array();
  }
}
