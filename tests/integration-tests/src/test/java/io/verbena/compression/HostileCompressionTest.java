package io.verbena.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.codec.WireEncoder;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A message that breaks the rules of compression ends its call alone, or its own session. */
class HostileCompressionTest {
  private static final int MOST = 1 << 20;
  private static final LinkOptions OPTIONS = LinkOptions.of(64 * 1024, Duration.ofSeconds(5), null);
  private static final PeerLimits TAKES = new PeerLimits(MOST, 65536, 64, 0, true, false, false);

  private final SteppedWorld world = new SteppedWorld();
  private final LinkDriver attacker = world.network().newDriver(() -> {});
  private final PlainLibrary library = new PlainLibrary();
  private int number;

  /** Keeps the bodies of what it hears. */
  private static class Listening extends RawPeer {
    final List<byte[]> bodies = new ArrayList<>();

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      super.onFrame(buffer, from, to);
      byte[] body = new byte[to - from - FrameHeader.BYTES];
      buffer.get(from + FrameHeader.BYTES, body);
      bodies.add(body);
    }
  }

  @AfterEach
  void nothingIsLeft() {
    world.close();
    attacker.close();
  }

  private VerbenaServer server(Consumer<VerbenaServer.Builder> settings) {
    return world.server(
        s -> {
          s.serve(LibraryRpc.bind(library))
              .limits(SessionLimits.DEFAULT.withMaxMessageBytes(MOST))
              .compressFromBytes(512);
          settings.accept(s);
        });
  }

  private void settle() {
    for (int i = 0; i < 4; i++) {
      attacker.poll();
      world.settle();
    }
  }

  private Listening open() {
    Listening raw = new Listening();
    attacker.connect(URI.create(world.address()), OPTIONS, raw);
    settle();
    Hello hello = new Hello(3, 3, 0, SessionKey.NONE, 0, 0, TAKES, "", List.of(), null);
    raw.send(RawPeer.frame(FrameKind.HELLO, 0, 0, hello::write));
    settle();
    assertThat(raw.heard).containsExactly(FrameKind.WELCOME);
    number = 0;
    return raw;
  }

  /** Returns the next frame of the session. */
  private byte[] frame(FrameKind kind, int flags, int place, Consumer<WireEncoder> body) {
    number++;
    byte[] frame = RawPeer.call(kind, number, number, 1_000_000, place, body);
    frame[2] = (byte) flags;
    return frame;
  }

  private void compressed(RawPeer raw, int place, int announced, byte[] block) {
    raw.send(
        frame(
            FrameKind.REQUEST,
            FrameHeader.FLAG_COMPRESSED,
            place,
            out -> {
              out.writeVarInt(announced);
              out.writeRaw(block);
            }));
    settle();
  }

  private static byte[] block(byte[] plain) {
    byte[] to = new byte[plain.length + plain.length / 255 + 16];
    int length = new JavaLz4().compress(ByteBuffer.wrap(plain), 0, plain.length, to);
    return Arrays.copyOf(to, length);
  }

  /** The arguments of {@link Library#copy}. */
  private static byte[] arguments(String text) {
    WireEncoder out = new WireEncoder();
    out.start(ByteBuffer.allocate(64), 0, MOST, 8);
    out.writeString(text);
    byte[] bytes = new byte[out.length()];
    out.buffer().get(0, bytes);
    return bytes;
  }

  private void assertRefused(Listening raw, RpcStatus status, String words) {
    int last = raw.heard.lastIndexOf(FrameKind.FAILURE);
    assertThat(last).as("%s", raw.heard).isNotNegative();
    assertThat(raw.bodies.get(last)).startsWith((byte) status.code());
    assertThat(new String(raw.bodies.get(last), StandardCharsets.UTF_8)).contains(words);
    raw.heard.clear();
    raw.bodies.clear();
    byte[] plain = arguments("as ever ".repeat(100));
    compressed(raw, 0, plain.length, block(plain));
    assertThat(raw.heard).as("the next call").contains(FrameKind.RESULT);
    assertThat(raw.closed).isNull();
  }

  @Test
  void blocksThatAreNoneEndTheirCallsAlone() {
    server(s -> {});
    Listening raw = open();
    byte[] plain = arguments("a page of some length, a page of some length ".repeat(40));
    byte[] block = block(plain);
    String refused = "the peer cannot decode the arguments";

    compressed(raw, 0, plain.length, Arrays.copyOf(block, block.length - 3));
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, refused);
    compressed(raw, 0, plain.length + 1, block);
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "announces " + (plain.length + 1));
    compressed(raw, 0, plain.length - 1, block);
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, refused);
    compressed(raw, 0, 0, block);
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "cannot expand to the announced 0");
    compressed(raw, 0, -1, block);
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "cannot expand to the announced -1");
    compressed(raw, 0, 100, new byte[0]);
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "0 compressed bytes");
    raw.send(frame(FrameKind.REQUEST, FrameHeader.FLAG_COMPRESSED, 0, out -> {}));
    settle();
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, refused);
    byte[] others = new byte[1_000];
    Arrays.fill(others, (byte) 0xff);
    compressed(raw, 0, others.length, block(others));
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, refused);
  }

  @Test
  void bombsAreRefusedBeforeThereIsMemoryForThem() {
    VerbenaServer server = server(s -> {});
    Listening raw = open();
    compressed(raw, 0, MOST + 1, block(new byte[MOST + 1]));
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "maxMessageBytes is " + MOST);
    compressed(raw, 0, Integer.MAX_VALUE, block(new byte[5_000]));
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "maxMessageBytes is " + MOST);
    compressed(raw, 0, MOST, block(new byte[5_000]));
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "cannot expand to the announced " + MOST);
    compressed(raw, 0, 100, block(new byte[MOST]));
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "the 100 bytes that they announce");
    assertThat(server.sharedBytesInUse()).isZero();
  }

  @Test
  void aQuestionForItemsIsNotCompressed() {
    server(s -> {});
    Listening raw = open();
    byte[] pages = new byte[1_000];
    raw.send(
        frame(
            FrameKind.REQUEST,
            0,
            2,
            out -> {
              out.writeString("a page");
              out.writeInt(3);
            }));
    settle();
    assertThat(raw.heard).contains(FrameKind.SERVICES, FrameKind.RESULT);
    int questions = LibraryRpc.SERVICE.methods().size(); // the next place
    compressed(raw, questions, pages.length, block(pages));
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "a request for items must not be compressed");
  }

  @Test
  void whatFindsNoMemoryFailsForWantOfIt() {
    VerbenaServer server = server(s -> s.maxAssemblyBytes(64 << 10));
    Listening raw = open();
    byte[] plain = arguments("x".repeat(900_000));
    compressed(raw, 0, plain.length, block(plain));
    assertRefused(raw, RpcStatus.INVALID_ARGUMENT, "raise maxAssemblyBytes");
    assertThat(server.sharedBytesInUse()).isZero();
  }

  @Test
  void randomChangesNeverHurtAnybodyElse() {
    VerbenaServer server = server(s -> {});
    Random random = Seed.random("mutated blocks");
    byte[] plain = arguments("a page of some length, a page of any length ".repeat(30));
    for (int peers = 0; peers < 40; peers++) {
      Listening raw = open();
      for (int i = 0; i < 50; i++) {
        byte[] block = block(plain);
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
          block[random.nextInt(block.length)] = (byte) random.nextInt();
        }
        compressed(raw, 0, plain.length + random.nextInt(2), block);
      }
      assertThat(raw.closed).isNull();
      assertThat(raw.heard).contains(FrameKind.FAILURE).hasSizeGreaterThan(50);
    }
    assertThat(server.sharedBytesInUse()).isZero();
  }

  @Test
  void compressionWhereThereIsNoneEndsTheSession() {
    server(s -> {});
    for (FrameKind kind : List.of(FrameKind.CANCEL, FrameKind.SERVICES, FrameKind.ACK)) {
      Listening raw = open();
      raw.send(frame(kind, FrameHeader.FLAG_COMPRESSED, 0, out -> out.writeByte(0)));
      settle();
      assertThat(raw.closed).as("%s", kind).isNotNull();
    }
    Listening beside = open();
    int both = FrameHeader.FLAG_COMPRESSED | FrameHeader.FLAG_LARGE_VALUES;
    beside.send(frame(FrameKind.REQUEST, both, 0, out -> out.writeInt(1)));
    settle();
    assertThat(beside.closed).isNotNull();
  }

  @Test
  void aServerThatTakesNoneEndsTheSession() {
    world.server(s -> s.serve(LibraryRpc.bind(library)));
    Listening raw = open();
    byte[] plain = arguments("a page ".repeat(100));
    compressed(raw, 0, plain.length, block(plain));
    assertThat(raw.closed).isNotNull();
    assertThat(raw.heard).doesNotContain(FrameKind.RESULT, FrameKind.FAILURE);
  }

  @Test
  void repliesThatAreNoBlocksEndTheirCallsAlone() throws LinkException {
    Listening raw = new Listening();
    attacker.listen(
        URI.create(world.address()),
        OPTIONS,
        link -> {
          raw.link = link;
          return raw;
        });
    try (VerbenaClient client = world.client(c -> c.compressFromBytes(512))) {
      Session session = client.session(world.address());
      LibraryRpc.Async stub = LibraryRpc.async(session, CallOptions.timeout(Duration.ofSeconds(5)));
      CompletableFuture<String> first = stub.copy("one").toCompletableFuture();
      CompletableFuture<String> second = stub.copy("two").toCompletableFuture();
      settle();
      OfferedService offer = OfferedService.of(LibraryRpc.SERVICE, 0);
      Welcome welcome = new Welcome(3, 0, new SessionKey(1, 2, 3), 0, TAKES, List.of(offer));
      raw.send(RawPeer.frame(FrameKind.WELCOME, 0, 0, welcome::write));
      settle();
      byte[] plain = arguments("a page ".repeat(100));
      for (byte[] block : List.of("no block".getBytes(StandardCharsets.UTF_8), block(plain))) {
        raw.send(
            frame(
                FrameKind.RESULT,
                FrameHeader.FLAG_COMPRESSED,
                0,
                out -> {
                  out.writeVarInt(plain.length);
                  out.writeRaw(block);
                }));
        settle();
      }
      assertThat(first.exceptionNow())
          .isInstanceOfSatisfying(
              RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.PROTOCOL_ERROR))
          .hasMessageContaining("its reply cannot be decoded");
      assertThat(second).isCompletedWithValue("a page ".repeat(100));
      assertThat(client.sharedBytesInUse()).isZero();
    }
  }

  @Test
  void whatIsSentAgainOverANewLinkIsAsItWas() {
    VerbenaServer server = server(s -> {});
    try (VerbenaClient client = world.client(c -> c.compressFromBytes(512))) {
      LibraryRpc.Async stub = LibraryRpc.async(client.session(world.address()));
      CompletableFuture<String> open = stub.copy("open").toCompletableFuture();
      world.runUntil(open::isDone);
      byte[] noise = new byte[600_000];
      new Random(3).nextBytes(noise);
      String book = HexFormat.of().formatHex(noise).substring(0, 900_000);
      for (int steps = 1; steps < 60; steps += 3) {
        CompletableFuture<String> call = stub.copy(steps + book).toCompletableFuture();
        for (int i = 0; i < steps; i++) {
          world.step();
          if (i % 10 == 9) {
            world.runHandlers();
          }
        }
        world.network().drop(URI.create(world.address()), "the cable is pulled");
        world.runUntil(call::isDone);
        assertThat(call).isCompletedWithValue(steps + book);
      }
      assertThat(server.sharedBytesInUse()).isZero();
    }
  }

  @Test
  void whatWaitsForAServerIsSentAsTheOneTakesItThatComes() {
    VerbenaServer taking = server(s -> {});
    try (VerbenaClient client = world.client(c -> c.compressFromBytes(512))) {
      LibraryRpc.Async stub = LibraryRpc.async(client.session(world.address()));
      CompletableFuture<String> open = stub.copy("open").toCompletableFuture();
      world.runUntil(open::isDone);
      URI address = URI.create(world.address());
      world.network().admit(address, Admission.NOBODY_LISTENS);
      world.network().drop(address, "the peer closed the connection");
      world.settle();
      String page = "a page of some length ".repeat(100);
      String book = page.repeat(100);
      CompletableFuture<String> brief = stub.copy(page).toCompletableFuture();
      CompletableFuture<String> lengthy = stub.copy(book).toCompletableFuture();
      world.settle();
      taking.close();
      world.server(s -> s.serve(LibraryRpc.bind(library)));
      world.network().admit(address, Admission.ACCEPT);
      world.runUntil(() -> brief.isDone() && lengthy.isDone());
      assertThat(brief).isCompletedWithValue(page);
      assertThat(lengthy).isCompletedWithValue(book);
    }
  }
}
