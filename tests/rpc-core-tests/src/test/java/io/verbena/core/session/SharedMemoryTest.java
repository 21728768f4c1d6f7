package io.verbena.core.session;

import static io.verbena.testkit.RawPeer.frame;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The memory that the sessions of one client or server share, while one of their peers stops. */
class SharedMemoryTest {
  private static final int MEMORY = 1 << 20;

  /** The guaranteed part of each session. */
  private static final int SHARE = MEMORY / 2 / 4;

  /** Its guaranteed part for any number of others, except for its overhead. */
  private static final int LEAST = 60_000;

  private final SteppedWorld world =
      new SteppedWorld(SessionLimits.DEFAULT, InMemoryNetwork.DEFAULT_RING_FRAMES);
  private final LinkDriver attacker = world.network().newDriver(() -> {});
  private final List<RawPeer> raws = new ArrayList<>();

  @AfterEach
  void close() {
    attacker.close();
    world.close();
  }

  // ---- messages that are put together ----

  private RawPeer open() {
    return open(64 * 1024);
  }

  private RawPeer open(int frameBytes) {
    RawPeer raw = new RawPeer();
    attacker.connect(
        URI.create(world.address()), LinkOptions.of(frameBytes, Duration.ofSeconds(5), null), raw);
    settle();
    raw.sayHello();
    settle();
    raws.add(raw);
    return raw;
  }

  private void settle() {
    for (int i = 0; i < 4; i++) {
      attacker.poll();
      world.settle();
    }
  }

  /** Begins a long message and stops in the middle of it. */
  private void sendPart(RawPeer raw, int announced, int sent) {
    byte[] first =
        frame(
            FrameKind.REQUEST,
            1,
            1,
            out -> {
              out.writeInt(announced);
              out.writeLong(0);
            });
    first[2] = FrameHeader.FLAG_FIRST_FRAGMENT;
    raw.send(first);
    int sequence = 1;
    for (int at = 8; at < sent; at += 3_000) {
      raw.send(
          frame(
              FrameKind.FRAGMENT,
              ++sequence,
              1,
              out -> {
                for (int i = 0; i < 3_000; i++) {
                  out.writeByte(0);
                }
              }));
      settle();
    }
  }

  /** Has the raw peers show that they live, as time passes. */
  private void pass(Duration time) {
    for (long left = time.toMillis(); left > 0; left -= 500) {
      raws.forEach(raw -> raw.send(frame(FrameKind.PING, 0, 0, out -> {})));
      world.pass(Duration.ofMillis(500));
      settle();
    }
  }

  @Test
  void messagesThatStopInTheMiddleLeaveOthersTheirShares() {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).maxAssemblyBytes(MEMORY));
    Probe.Stub honest = new Probe.Stub(world.client().session(world.address()));
    for (int i = 0; i < 3; i++) {
      sendPart(open(), MEMORY, MEMORY / 2 - 50_000);
    }
    String text = "x".repeat(SHARE - 1_000);
    for (int i = 0; i < 20; i++) {
      CompletableFuture<String> call = honest.submit(Probe.ECHO, text);
      world.runUntil(call::isDone);
      assertThat(call).isCompletedWithValue(text);
    }
  }

  @Test
  void whatHasStoppedIsDroppedWhenOthersWantItsMemoryAndTheySayWhoHasIt() {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).maxAssemblyBytes(MEMORY));
    Probe.Stub honest = new Probe.Stub(world.client().session(world.address()));
    RawPeer raw = open();
    sendPart(raw, MEMORY, MEMORY / 2 - 50_000);
    String text = "x".repeat(3 * SHARE);
    CompletableFuture<String> refused = honest.submit(Probe.ECHO, text);
    world.runUntil(refused::isDone);
    assertThat(refused.exceptionNow())
        .hasMessageContaining("RESOURCE_EXHAUSTED")
        .hasMessageMatching("(?s).*mem://\\S+ has " + MEMORY / 2 + " of them.*")
        .message()
        .doesNotContain("maxAssemblyBytes");
    pass(Duration.ofSeconds(6));
    CompletableFuture<String> call = honest.submit(Probe.ECHO, text);
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue(text);
    assertThat(raw.closed).as("only its message was dropped").isNull();
  }

  // ---- services that peers tell of ----

  private RawPeer openServing(int services) {
    List<OfferedService> all = new ArrayList<>();
    for (int i = 0; i < services; i++) {
      all.add(new OfferedService("s" + i, i, 0, List.of(1)));
    }
    RawPeer raw = new RawPeer();
    attacker.connect(
        URI.create(world.address()), LinkOptions.of(64 * 1024, Duration.ofSeconds(5), null), raw);
    settle();
    raw.sayHello(all);
    settle();
    raws.add(raw);
    return raw;
  }

  @Test
  void servicesThatPeersTellOfCountForWhatTheirSessionsMayHave() {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).maxAssemblyBytes(MEMORY));
    Probe.Stub honest = new Probe.Stub(world.client().session(world.address()));
    assertThat(openServing(3000).heard).as("of far too many").containsExactly(FrameKind.REFUSED);
    assertThat(openServing(200).heard).as("of some").contains(FrameKind.WELCOME);
    for (int i = 0; i < 20; i++) {
      openServing(400);
    }
    long open = raws.stream().filter(raw -> raw.heard.contains(FrameKind.WELCOME)).count();
    assertThat(open).as("sessions that found memory").isBetween(3L, 8L);
    String text = "x".repeat(LEAST);
    CompletableFuture<String> call = honest.submit(Probe.ECHO, text);
    world.runUntil(call::isDone);
    assertThat(call).as("within a session's own part").isCompletedWithValue(text);
    raws.forEach(raw -> Objects.requireNonNull(raw.link).close());
    world.pass(SessionLimits.DEFAULT.resumeWindow().plusSeconds(1));
    assertThat(openServing(800).heard).as("once others have gone").contains(FrameKind.WELCOME);
  }

  // ---- replies that nobody takes ----

  /** Counts the handlers that have run, and answers at length. */
  private static final class Lengthy extends Probe.Plain {
    static final int LENGTH = 100_000;
    int ran;

    @Override
    public String slow(String text) {
      ran++;
      return text + "x".repeat(LENGTH);
    }
  }

  @Test
  void aPeerThatTakesNoRepliesHasItsFurtherCallsWaitAndLosesNone() {
    Lengthy here = new Lengthy();
    List<Session> accepted = new ArrayList<>();
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).onSession(accepted::add));
    VerbenaClient client = world.client(c -> c.maxReplyBytes(8L * Lengthy.LENGTH));
    Session session = client.session(world.address());
    session.serve(Probe.bind(here));
    CompletableFuture<String> open = new Probe.Stub(session).submit(Probe.ECHO, "open");
    world.runUntil(open::isDone);
    Probe.Stub back = new Probe.Stub(Objects.requireNonNull(accepted.getFirst()));
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      calls.add(back.submit(Probe.SLOW, i + " "));
    }
    world.step();
    world.step();
    world.pauseServer(true);
    world.pass(Duration.ofMillis(500));
    // 256 frames of 64 KiB are on their way, two for each; beyond them there are few.
    assertThat(here.ran).as("handlers that ran").isBetween(1, 128 + 8);
    int before = here.ran;
    world.pass(Duration.ofMillis(500));
    assertThat(here.ran).as("no more while nothing is taken").isEqualTo(before);
    world.pauseServer(false);
    for (int i = 0; i < calls.size(); i++) {
      assertThat(world.result(calls.get(i)))
          .hasSize((i + " ").length() + Lengthy.LENGTH)
          .startsWith(i + " ");
    }
    assertThat(here.ran).isEqualTo(calls.size());
  }

  @Test
  void oneReplyToEachOfManyPeersIsNoMoreThanThereIs() {
    int length = 1_045_000; // more frames of 1 KiB than may be unacknowledged
    Probe lengthy =
        new Probe.Plain() {
          @Override
          public String slow(String text) {
            return text + "x".repeat(length);
          }
        };
    VerbenaServer server =
        world.server(s -> s.serve(Probe.bind(lengthy)).maxReplyBytes(8 * MEMORY));
    Probe.Stub honest = new Probe.Stub(world.client().session(world.address()));
    for (int i = 0; i < 50; i++) {
      RawPeer raw = open(1024);
      raw.send(
          RawPeer.call(
              FrameKind.REQUEST, 1, 1, 60_000_000, 1, arguments -> arguments.writeString("")));
      world.settle();
      world.runHandlers();
      world.settle();
    }
    long most = 8L * MEMORY + 2L * length;
    assertThat(server.sharedBytesInUse()).isBetween(4L * MEMORY, most);
    CompletableFuture<String> small = honest.submit(Probe.ECHO, "small");
    world.runUntil(small::isDone);
    CompletableFuture<String> large = honest.submit(Probe.SLOW, "large");
    world.settle();
    world.runHandlers();
    world.settle();
    assertThat(large).as("while none is free").isNotDone();
    raws.forEach(raw -> Objects.requireNonNull(raw.link).close());
    world.pass(SessionLimits.DEFAULT.resumeWindow().plusSeconds(1));
    world.runUntil(large::isDone);
    assertThat(large.join()).as("once others have gone").startsWith("large");
  }

  @Test
  void callsThatNobodyAnswersYetAreNoReasonToWait() {
    Probe.Counting here = new Probe.Counting();
    world.server(s -> s.serve(Probe.bind(here)));
    Probe.Stub stub = new Probe.Stub(world.client().session(world.address()));
    CompletableFuture<String> open = stub.submit(Probe.ECHO, "open");
    world.runUntil(open::isDone);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      calls.add(stub.submit(Probe.SLOW, "call " + i));
    }
    for (int i = 0; i < 100; i++) {
      world.step(); // no handler runs, so no reply tells how long they are
      world.clock().advance(Duration.ofMillis(1));
    }
    assertThat(world.runHandlers()).as("handlers that were started").isEqualTo(calls.size());
    world.settle();
    assertThat(calls).allMatch(CompletableFuture::isDone);
  }
}
