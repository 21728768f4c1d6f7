package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.RecordingListener;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long opening a session may take, and what of it is tried again. */
class OpeningTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  private SteppedWorld world = new SteppedWorld();

  @AfterEach
  void end() {
    world.close();
  }

  private Session sessionWith(String address) {
    return world.client(settings -> settings.connectTimeout(TIMEOUT)).session(address);
  }

  private RpcException failureOf(CompletableFuture<String> call) {
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  /** Has connections lost once they are made, so many of them; returns how many there were. */
  private AtomicInteger loseGreetings(int count) {
    AtomicInteger greetings = new AtomicInteger();
    world.server(
        settings ->
            settings
                .serve(Probe.bind(new Probe.Plain()))
                .authenticator(
                    shown -> {
                      if (greetings.getAndIncrement() < count) {
                        world.network().drop(URI.create(world.address()), "by chance");
                      }
                      return "anybody";
                    }));
    return greetings;
  }

  @Test
  void whoTakesConnectionsAndSaysNothingIsWaitedForAsLongAsConnectingMayTake()
      throws LinkException {
    URI silent = URI.create("mem://silent");
    try (LinkDriver mute = world.network().newDriver(() -> {})) {
      mute.listen(silent, LinkOptions.of(65536, TIMEOUT, null), link -> new RecordingListener());
      Probe.Stub stub = new Probe.Stub(sessionWith(silent.toString()));
      CompletableFuture<String> call = stub.submit(Probe.ECHO, "hello?");
      long start = world.clock().nanoTime();
      world.runUntil(
          () -> {
            mute.poll();
            return call.isDone();
          });
      Duration took = Duration.ofNanos(world.clock().nanoTime() - start);
      assertThat(took).isBetween(TIMEOUT, TIMEOUT.plusMillis(50));
      assertThat(failureOf(call).status()).isEqualTo(RpcStatus.UNAVAILABLE);
      assertThat(failureOf(call))
          .hasMessageContaining("mem://silent")
          .hasMessageContaining("did not answer within the limit of 2000 ms: it may not be");
    }
  }

  /** Returns the failure of a call whose client's token takes its time. */
  private String failureAfterAToken(Duration token, InMemoryNetwork.Admission admission)
      throws LinkException {
    URI silent = URI.create("mem://silent");
    world.network().admit(silent, admission);
    try (LinkDriver mute = world.network().newDriver(() -> {})) {
      mute.listen(silent, LinkOptions.of(65536, TIMEOUT, null), link -> new RecordingListener());
      Session session =
          world
              .client(
                  settings ->
                      settings
                          .connectTimeout(TIMEOUT)
                          .token(
                              () -> {
                                world.clock().advance(token);
                                return "late";
                              }))
              .session(silent.toString());
      CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "hello?");
      world.runUntil(
          () -> {
            mute.poll();
            return call.isDone();
          });
      return String.valueOf(failureOf(call).getMessage());
    }
  }

  @Test
  void aLimitThatIsUsedUpBeforeTheGreetingIsToldWhole() throws LinkException {
    assertThat(failureAfterAToken(TIMEOUT.minusMillis(3), InMemoryNetwork.Admission.ACCEPT))
        .contains("within the limit of 2000 ms, of which ")
        .containsPattern("[0-3] ms were left when the connection was open")
        .contains("allow more time by connectTimeout");
  }

  @Test
  void norIsItToldAsTheLinksLimit() throws LinkException {
    assertThat(failureAfterAToken(TIMEOUT.minusMillis(3), InMemoryNetwork.Admission.IGNORE))
        .containsPattern("earlier steps had left [0-3] ms of the limit of 2000 ms");
    assertThat(failureAfterAToken(Duration.ofMillis(3), InMemoryNetwork.Admission.IGNORE))
        .doesNotContain("earlier steps");
  }

  @Test
  void aConnectionThatIsLostBeforeItHasASessionIsMadeAgain() {
    AtomicInteger greetings = loseGreetings(1);
    CompletableFuture<String> call =
        new Probe.Stub(sessionWith(world.address())).submit(Probe.ECHO, "there");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("there");
    assertThat(greetings).hasValue(2);
  }

  @Test
  void butNotForEver() {
    AtomicInteger greetings = loseGreetings(Integer.MAX_VALUE);
    CompletableFuture<String> call =
        new Probe.Stub(sessionWith(world.address())).submit(Probe.ECHO, "there");
    world.runUntil(call::isDone);
    assertThat(failureOf(call).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(greetings.get()).isBetween(2, 10);
  }

  @Test
  void aLinkMayBeSilentForEver() {
    SessionLimits patient = SessionLimits.DEFAULT.withKeepalive(Duration.ofSeconds(2), FOREVER);
    world.close();
    world = new SteppedWorld(patient, InMemoryNetwork.DEFAULT_RING_FRAMES);
    world.server(settings -> settings.serve(Probe.bind(new Probe.Plain())));
    CompletableFuture<String> call =
        new Probe.Stub(sessionWith(world.address())).submit(Probe.ECHO, "there");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("there");
    world.pass(Duration.ofSeconds(20));
    CompletableFuture<String> later =
        new Probe.Stub(sessionWith(world.address())).submit(Probe.ECHO, "still");
    world.runUntil(later::isDone);
    assertThat(later).isCompletedWithValue("still");
  }
}
