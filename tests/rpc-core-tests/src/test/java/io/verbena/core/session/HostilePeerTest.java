package io.verbena.core.session;

import static io.verbena.testkit.RawPeer.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.verbena.api.Session;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.codec.WireEncoder;
import io.verbena.core.Probe;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that speaks nonsense loses its own link; the server and its other clients go on. */
class HostilePeerTest {
  private final SteppedWorld world = new SteppedWorld();
  private final InMemoryUpgrade upgrade =
      new InMemoryUpgrade(new InMemoryNetwork(world.clock(), 16));
  private final LinkDriver attacker = world.network().newDriver(() -> {});
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);

  @BeforeEach
  void aServerWithAnHonestClient() {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).upgrades(upgrade));
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "honest");
    world.runUntil(call::isDone);
  }

  @AfterEach
  void theHonestClientIsServed() {
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "still here");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("still here");
    world.close();
  }

  private RawPeer connect() {
    RawPeer raw = new RawPeer();
    connect(raw);
    return raw;
  }

  private void connect(RawPeer raw) {
    attacker.connect(
        URI.create(world.address()), LinkOptions.of(64 * 1024, Duration.ofSeconds(5), null), raw);
    settle();
  }

  private void settle() {
    for (int i = 0; i < 4; i++) {
      attacker.poll();
      world.settle();
    }
  }

  private RawPeer open() {
    RawPeer raw = connect();
    raw.sayHello();
    settle();
    assertThat(raw.heard).containsExactly(FrameKind.WELCOME);
    return raw;
  }

  private void assertThrownOut(RawPeer raw) {
    settle();
    assertThat(raw.closed).isNotNull();
  }

  @Test
  void randomBytesInsteadOfAGreetingEndTheLink() {
    Random random = Seed.random("random greetings");
    for (int i = 0; i < 200; i++) {
      RawPeer raw = connect();
      byte[] bytes = new byte[1 + random.nextInt(300)];
      random.nextBytes(bytes);
      raw.send(bytes);
      assertThrownOut(raw);
    }
  }

  @Test
  void aFlagThatThisVersionDoesNotKnowEndsTheLinkBeforeTheCallIsRun() {
    for (int flag = 8; flag <= 0x80; flag <<= 1) {
      RawPeer raw = open();
      byte[] request =
          RawPeer.call(
              FrameKind.REQUEST,
              1,
              1,
              1_000_000,
              0,
              out -> {
                out.writeString("text");
              });
      request[2] = (byte) flag;
      raw.send(request);
      assertThrownOut(raw);
      assertThat(raw.heard).doesNotContain(FrameKind.RESULT);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 5, 0xffff, 8 * 1024 + 1})
  void metadataThatAreNoneEndTheLinkBeforeTheCallIsRun(int length) {
    for (FrameKind kind : List.of(FrameKind.REQUEST, FrameKind.SERVICES)) {
      RawPeer raw = open();
      byte[] request =
          RawPeer.call(
              kind,
              1,
              1,
              1_000_000,
              0,
              out -> {
                if (length > 0) {
                  out.writeString("");
                }
                if (length > 3) {
                  out.writeShort(length == 5 ? 5 : 0);
                  out.writeShort(length);
                } else if (length > 0) {
                  out.writeShort(length);
                }
              });
      request[2] = FrameHeader.FLAG_METADATA;
      raw.send(request);
      assertThrownOut(raw);
      assertThat(raw.heard).doesNotContain(FrameKind.RESULT, FrameKind.FAILURE);
    }
  }

  @Test
  void aClientThatNeverGreetsIsThrownOutInTime() {
    RawPeer raw = connect();
    world.pass(Duration.ofSeconds(11));
    assertThrownOut(raw);
  }

  @Test
  void randomChangesToAValidConversationNeverHurtAnybodyElse() {
    Random random = Seed.random("mutated frames");
    for (int i = 0; i < 500; i++) {
      RawPeer raw = open();
      byte[] request =
          RawPeer.call(
              FrameKind.REQUEST,
              1,
              1,
              1_000_000,
              0,
              out -> {
                out.writeString("text");
              });
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        request[random.nextInt(request.length)] = (byte) random.nextInt();
      }
      raw.send(request);
      raw.send(frame(FrameKind.CANCEL, 2, random.nextInt(3), out -> {}));
      settle();
      if (raw.link != null && raw.closed == null) {
        raw.link.close();
      }
    }
  }

  @Test
  void aMessageThatClaimsToBeLongerThanAllowedIsRefusedBeforeAnythingIsAllocated() {
    RawPeer raw = open();
    byte[] first = frame(FrameKind.REQUEST, 1, 1, out -> out.writeInt(Integer.MAX_VALUE));
    first[2] = FrameHeader.FLAG_FIRST_FRAGMENT;
    raw.send(first);
    assertThrownOut(raw);
  }

  @Test
  void aGapInTheSequenceEndsTheSession() {
    RawPeer raw = open();
    raw.send(frame(FrameKind.CANCEL, 7, 1, out -> {}));
    assertThrownOut(raw);
  }

  @Test
  void anAcknowledgementOfWhatWasNeverSentEndsTheSession() {
    RawPeer raw = open();
    byte[] ack = frame(FrameKind.ACK, 0, 0, out -> {});
    ack[11] = 1;
    raw.send(ack);
    assertThrownOut(raw);
  }

  private static byte[] first(long sequence, int announced, int bytes) {
    byte[] frame =
        frame(
            FrameKind.REQUEST,
            sequence,
            1,
            out -> {
              out.writeInt(announced);
              out.writeBytes(new byte[bytes]);
            });
    frame[2] = FrameHeader.FLAG_FIRST_FRAGMENT;
    return Arrays.copyOf(frame, FrameHeader.BYTES + Integer.BYTES + bytes);
  }

  private static byte[] piece(long sequence, int bytes) {
    byte[] frame = frame(FrameKind.FRAGMENT, sequence, 0, out -> {});
    return Arrays.copyOf(frame, frame.length + bytes);
  }

  /** Returns a frame about a path: the epoch of its link, and the number of a frame. */
  private static byte[] path(FrameKind kind, long number) {
    return frame(
        kind,
        0,
        0,
        out -> {
          out.writeInt(2);
          out.writeLong(number);
        });
  }

  private static Stream<Arguments> breaches() {
    byte[] drains = frame(FrameKind.DRAINING, 1, 0, out -> out.writeString("bye"));
    byte[] drainsAgain = frame(FrameKind.DRAINING, 2, 0, out -> out.writeString("bye"));
    byte[] oneways =
        frame(
            FrameKind.ONEWAY_DONE,
            1,
            0,
            out -> {
              out.writeVarInt(1);
              out.writeVarInt(0);
            });
    byte[] rail =
        frame(
            FrameKind.RAIL_REQUEST,
            1,
            0,
            out -> {
              out.writeInt(1);
              out.writeBytes(new byte[0]);
            });
    return Stream.of(
        arguments("a frame of 23 bytes", List.of(new byte[FrameHeader.BYTES - 1])),
        arguments("a fragment without a first fragment", List.of(piece(1, 1))),
        arguments("without the message's length", List.of(Arrays.copyOf(first(1, 9, 0), 27))),
        arguments("fragments of 11 bytes for 10", List.of(first(1, 10, 5), piece(2, 6))),
        arguments("fragments of 5 bytes for 10", List.of(first(1, 10, 5), piece(2, 0))),
        arguments("between the fragments", List.of(first(1, 10, 5), request(2, 0))),
        arguments("a message of -1 bytes", List.of(first(1, -1, 5))),
        arguments("a change of path after frame 5", List.of(path(FrameKind.PATH_CHANGED, 5))),
        arguments(
            "a change of path after frame 0",
            List.of(path(FrameKind.PATH_CHANGED, 0), path(FrameKind.PATH_CHANGED, 0))),
        arguments(
            "which carries no numbered frames",
            List.of(path(FrameKind.PATH_CHANGED, 0), request(1, 0))),
        arguments("the peer settles at frame 5", List.of(path(FrameKind.SETTLE, 5))),
        arguments("a second DRAINING", List.of(drains, drainsAgain)),
        arguments("a LAST_CALL without", List.of(frame(FrameKind.LAST_CALL, 1, 0, out -> {}))),
        arguments("1 one-way calls done, 0 refused, of 0", List.of(oneways)),
        arguments("a rail with epoch 1", List.of(rail)));
  }

  @ParameterizedTest
  @MethodSource("breaches")
  void whoBreaksTheRulesOfSessionsLosesItsOwn(String rule, List<byte[]> frames) {
    ListeningPeer raw = new ListeningPeer();
    connect(raw);
    raw.sayHello();
    settle();
    frames.forEach(raw::send);
    assertThrownOut(raw);
    ListeningPeer again = new ListeningPeer();
    connect(again);
    sayHelloAgain(again, raw.key());
    settle();
    assertThat(again.texts).contains("has ended here: protocol error: ").contains(rule);
  }

  @Test
  void aReplyToACallThatWasNeverMadeEndsTheSession() {
    RawPeer raw = open();
    raw.send(frame(FrameKind.RESULT, 1, 5, out -> out.writeString("surprise")));
    assertThrownOut(raw);
  }

  @Test
  void moreCallsThanTheWindowEndTheSession() {
    RawPeer raw = open();
    for (int i = 1; i <= 1_100 && raw.closed == null; i++) {
      raw.send(
          RawPeer.call(
              FrameKind.REQUEST,
              i,
              i,
              100_000_000,
              1,
              out -> {
                out.writeString("text");
              }));
      attacker.poll();
      world.step(); // no handler runs
    }
    assertThrownOut(raw);
  }

  private static void sayHelloAgain(RawPeer raw, SessionKey key) {
    sayHello(raw, key, 0, 9, "");
  }

  private static void sayHello(
      RawPeer raw, SessionKey key, long received, int keptEpoch, String token) {
    Hello hello =
        new Hello(
            FrameHeader.VERSION,
            FrameHeader.VERSION,
            0,
            key,
            received,
            keptEpoch,
            new PeerLimits(4096, 4096, 64),
            token,
            List.of(),
            null);
    raw.send(frame(FrameKind.HELLO, 0, 0, hello::write));
  }

  @Test
  void resumingASessionWithoutItsSecretIsRefused() {
    RawPeer raw = connect();
    sayHelloAgain(raw, new SessionKey(42, 1, 2));
    settle();
    assertThat(raw.heard).containsExactly(FrameKind.REFUSED);
    assertThrownOut(raw);
  }

  @Test
  void resumingASessionAfterFramesThatWereNeverSentEndsIt() {
    ListeningPeer raw = new ListeningPeer();
    connect(raw);
    raw.sayHello();
    settle();
    ListeningPeer ahead = new ListeningPeer();
    connect(ahead);
    sayHello(ahead, raw.key(), 5, 0, "");
    assertThrownOut(ahead);
    ListeningPeer again = new ListeningPeer();
    connect(again);
    sayHello(again, raw.key(), 0, 0, "");
    settle();
    assertThat(again.heard).containsExactly(FrameKind.REFUSED);
  }

  @Test
  void resumingASessionOfAnotherClientIsRefused() {
    String address = "mem://guarded";
    world.server(s -> s.listen(address).authenticator(shown -> shown.token()));
    ListeningPeer owner = new ListeningPeer();
    ListeningPeer thief = new ListeningPeer();
    for (ListeningPeer each : List.of(owner, thief)) {
      attacker.connect(
          URI.create(address), LinkOptions.of(64 * 1024, Duration.ofSeconds(5), null), each);
      settle();
    }
    sayHello(owner, SessionKey.NONE, 0, 0, "owner");
    settle();
    sayHello(thief, owner.key(), 0, 0, "thief");
    settle();
    assertThat(thief.heard).containsExactly(FrameKind.REFUSED);
    assertThat(thief.texts).contains("the session belongs to another client");
    assertThat(owner.closed).isNull();
  }

  @Test
  void aPeerThatBrokeItsSessionIsToldSoWhenItResumesIt() {
    SessionKey first = openAndBreak();
    ListeningPeer again = new ListeningPeer();
    connect(again);
    sayHelloAgain(again, first);
    settle();
    assertThat(again.heard).containsExactly(FrameKind.REFUSED);
    assertThat(again.texts).contains("has ended here: protocol error: ").doesNotContain("away");
    for (int i = 0; i < 300; i++) {
      openAndBreak();
    }
    ListeningPeer late = new ListeningPeer();
    connect(late);
    sayHelloAgain(late, first);
    settle();
    assertThat(late.texts).contains("resumeWindow").contains("broke the protocol");
    ListeningPeer thief = new ListeningPeer();
    connect(thief);
    SessionKey last = openAndBreak();
    sayHelloAgain(thief, new SessionKey(last.id(), 1, 2));
    settle();
    assertThat(thief.texts).contains("has ended here").doesNotContain("protocol error: ");
  }

  private SessionKey openAndBreak() {
    ListeningPeer raw = new ListeningPeer();
    connect(raw);
    raw.sayHello();
    settle();
    raw.send(frame(FrameKind.SCHEMA, 7, 0, out -> {}));
    assertThrownOut(raw);
    return raw.key();
  }

  @ParameterizedTest
  @ValueSource(bytes = {FrameHeader.VERSION - 1, FrameHeader.VERSION, 7})
  void aClientOfAnotherProtocolVersionIsToldWhichThisIs(byte versionOfItsFrames) {
    RawPeer raw = connect();
    Hello hello =
        new Hello(
            7, 9, 0, SessionKey.NONE, 0, 0, new PeerLimits(4096, 4096, 64), "", List.of(), null);
    byte[] frame = frame(FrameKind.HELLO, 0, 0, hello::write);
    frame[0] = versionOfItsFrames;
    raw.send(frame);
    settle();
    assertThat(raw.heard).containsExactly(FrameKind.REFUSED);
  }

  /** Sends until it is thrown out, and reads nothing. */
  private void flood(RawPeer raw, IntFunction<byte[]> frames) {
    for (int i = 1; i <= 20_000; i++) {
      raw.send(frames.apply(i));
      world.step();
      if (i % 1_000 == 0) {
        attacker.poll();
        if (raw.closed != null) {
          return;
        }
      }
    }
    throw new AssertionError("20,000 frames were taken, and none of the answers was read");
  }

  private static byte[] request(int number, int method) {
    return RawPeer.call(
        FrameKind.REQUEST,
        number,
        number,
        100_000_000,
        method - 1,
        out -> {
          out.writeString("text");
        });
  }

  @Test
  void aClientThatCallsWithoutEndAndReadsNoReplyIsThrownOut() {
    flood(open(), i -> request(i, 1));
  }

  @Test
  void aClientThatCallsWhatThereIsNotAndReadsNoReplyIsThrownOut() {
    flood(open(), i -> request(i, 99));
  }

  @Test
  void aOneWayCallOfWhatThereIsNotIsDroppedAndItsPlaceGivenBack() {
    RawPeer raw = open();
    raw.send(
        RawPeer.call(FrameKind.ONEWAY, 1, 1, FrameHeader.UNTOLD, 99, out -> out.writeString("")));
    world.pass(Duration.ofSeconds(1));
    settle();
    assertThat(raw.heard).contains(FrameKind.ONEWAY_DONE);
  }

  @Test
  void aClientThatAsksForSchemasWithoutEndIsThrownOut() {
    flood(
        open(),
        i -> frame(FrameKind.SCHEMA_REQUEST, i, 0, out -> out.writeInt("probe".hashCode())));
  }

  @Test
  void aClientThatShowsNoContractIsNotToldOfOneThatIsKept() {
    ListeningPeer raw = new ListeningPeer();
    openTo(raw, "mem://keeps", List.of(Probe.bind(new Probe.Plain())), false);
    int id = OfferedService.id("probe");
    raw.send(frame(FrameKind.SCHEMA_REQUEST, 1, 0, out -> out.writeInt(id)));
    List<OfferedService> another = List.of(new OfferedService("other", 0, 0, List.of(1)));
    raw.send(frame(FrameKind.SCHEMA_REQUEST, 2, 0, out -> showing(out, id, another)));
    raw.send(request(3, 99));
    settle();
    assertThat(raw.heard)
        .containsExactly(FrameKind.WELCOME, FrameKind.SCHEMA, FrameKind.SCHEMA, FrameKind.FAILURE);
    assertThat(raw.texts).doesNotContain("probe", "echo");
    List<OfferedService> older = List.of(new OfferedService("probe", 0, 0, List.of(1)));
    raw.send(frame(FrameKind.SCHEMA_REQUEST, 4, 0, out -> showing(out, id, older)));
    settle();
    assertThat(raw.heard).endsWith(FrameKind.SERVICES, FrameKind.SCHEMA);
    assertThat(raw.texts).contains("probe", "echo");
  }

  @Test
  void whoAsksForContractsAndReceivesNoneGetsFewAhead() {
    RawPeer raw = new RawPeer();
    openTo(raw, "mem://wide", List.of(service("wide", 300)));
    int id = OfferedService.id("wide");
    for (int i = 1; i <= 100; i++) {
      raw.send(frame(FrameKind.SCHEMA_REQUEST, i, 0, out -> out.writeInt(id)));
    }
    settle();
    assertThat(contracts(raw)).isBetween(2L, 3L);
    for (int i = 0; i < 100; i++) {
      byte[] acknowledges = frame(FrameKind.ACK, 0, 0, out -> {});
      ByteBuffer.wrap(acknowledges).putInt(8, (int) contracts(raw));
      raw.send(acknowledges);
      settle();
    }
    assertThat(contracts(raw)).isEqualTo(100);
  }

  /** A server that keeps its contracts announces the service with each of its answers. */
  @Test
  void norAnnouncementsOfWhatItAsksFor() {
    RawPeer raw = new RawPeer();
    openTo(raw, "mem://wide-and-kept", List.of(service("wide", 300)), false);
    int id = OfferedService.id("wide");
    List<OfferedService> shown = List.of(new OfferedService("wide", 0, 0, List.of(1)));
    for (int i = 1; i <= 400; i++) {
      raw.send(frame(FrameKind.SCHEMA_REQUEST, i, 0, out -> showing(out, id, shown)));
    }
    settle();
    assertThat(contracts(raw)).isLessThan(150); // each takes two messages of 256 bytes
    assertThat(raw.heard.stream().filter(kind -> kind == FrameKind.SERVICES).count())
        .isEqualTo(contracts(raw));
  }

  @Test
  void whoCallsWhatThereIsNotIsToldFewNames() {
    List<ServiceBinding> many =
        IntStream.range(0, 400).mapToObj(i -> service("of-many-services-" + i, 1)).toList();
    ListeningPeer raw = new ListeningPeer();
    openTo(raw, "mem://many", many);
    int before = raw.texts.length();
    raw.send(request(1, 50_000));
    settle();
    assertThat(raw.heard).endsWith(FrameKind.FAILURE);
    assertThat(raw.texts.substring(before)).contains("of-many-services-0, ", "and 380 more");
    assertThat(raw.texts.length() - before).isLessThan(1000);
  }

  private void openTo(RawPeer raw, String address, List<ServiceBinding> services) {
    openTo(raw, address, services, true);
  }

  private void openTo(
      RawPeer raw, String address, List<ServiceBinding> services, boolean tellContracts) {
    world.server(
        s -> {
          s.listen(address).tellContracts(tellContracts);
          services.forEach(s::serve);
        });
    attacker.connect(
        URI.create(address), LinkOptions.of(64 * 1024, Duration.ofSeconds(5), null), raw);
    settle();
    raw.sayHello();
    settle();
  }

  private static long contracts(RawPeer raw) {
    return raw.heard.stream().filter(kind -> kind == FrameKind.SCHEMA).count();
  }

  /** A service whose contract takes some 100 bytes for each method. */
  private static ServiceBinding service(String name, int methods) {
    List<Schema.Method> all =
        IntStream.rangeClosed(1, methods)
            .mapToObj(
                i ->
                    new Schema.Method(i, "x".repeat(80) + i, false, List.of(), "string", List.of()))
            .toList();
    ServiceDescriptor<Probe> described =
        new ServiceDescriptor<>(
            Probe.class,
            name,
            new Schema(name, all, List.of()),
            List.of(),
            caller -> {
              throw new UnsupportedOperationException();
            });
    return new ServiceBinding(described, (method, in, call) -> {});
  }

  private static void showing(WireEncoder out, int id, List<OfferedService> shown) {
    out.writeInt(id);
    OfferedService.writeAll(out, shown);
  }

  @Test
  void aClientThatOffersServicesWithoutEndIsThrownOut() {
    flood(
        open(),
        i ->
            frame(
                FrameKind.SERVICES,
                i,
                0,
                out ->
                    OfferedService.writeAll(
                        out, List.of(new OfferedService("s" + i, 1, i, List.of(1))))));
  }

  @Test
  void aPeerThatTakesNothingCostsTheServerNoTime() {
    RawPeer raw = open();
    for (int i = 1; i <= 600; i++) {
      raw.send(request(i, 1));
      world.step();
    }
    // The link to the client is full, and acknowledgements are owed: nothing can be done about it.
    world.settle();
    assertThat(raw.closed).isNull();
  }

  @Test
  void aClientThatAsksAsItGreetsHasItsOfferBehindTheWelcome() {
    RawPeer raw = connect();
    raw.sayHelloAndAskForUpgrade();
    settle();
    assertThat(raw.heard).containsExactly(FrameKind.WELCOME, FrameKind.UPGRADE_OFFER);
  }

  @Test
  void aClientThatAsksForBetterLinksWithoutEndIsOfferedOne() {
    RawPeer raw = open();
    for (int i = 1; i <= 50; i++) {
      int epoch = i + 1;
      raw.send(
          frame(
              FrameKind.UPGRADE_REQUEST,
              i,
              0,
              out -> {
                out.writeInt(epoch);
                out.writeBytes(new byte[0]);
              }));
    }
    settle();
    assertThat(String.valueOf(upgrade.lastOffer())).endsWith("upgrade-1");
    assertThat(raw.heard).contains(FrameKind.UPGRADE_OFFER, FrameKind.UPGRADE_DECLINED);
  }

  @Test
  void aClientThatAsksForRailsWithoutABetterLinkHasNone() {
    RawPeer raw = open();
    for (int i = 1; i <= 50; i++) {
      int epoch = i + 1;
      raw.send(
          frame(
              FrameKind.RAIL_REQUEST,
              i,
              0,
              out -> {
                out.writeInt(epoch);
                out.writeBytes(new byte[0]);
              }));
    }
    settle();
    assertThat(upgrade.lastOffer()).isNull();
    assertThat(raw.heard).contains(FrameKind.UPGRADE_DECLINED);
    assertThat(raw.closed).isNull();
  }

  @Test
  void aServerTakesSoManySessionsAndRefusesTheNextByName() {
    try (SteppedWorld small = new SteppedWorld()) {
      small.server(s -> s.serve(Probe.bind(new Probe.Plain())).maxSessions(2));
      List<CompletableFuture<String>> calls = new ArrayList<>();
      List<Session> sessions = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        if (i == 3) {
          sessions.getFirst().close();
          small.settle();
        }
        sessions.add(small.client().session(small.address()));
        calls.add(new Probe.Stub(sessions.getLast()).submit(Probe.ECHO, "text"));
        small.settle();
      }
      assertThat(calls.get(0)).isCompletedWithValue("text");
      assertThat(calls.get(1)).isCompletedWithValue("text");
      assertThat(calls.get(2).exceptionNow())
          .hasMessageContaining("UNAVAILABLE")
          .hasMessageContaining("its limit of 2 sessions");
      assertThat(calls.get(3)).as("after one has ended").isCompletedWithValue("text");
    }
  }
}
