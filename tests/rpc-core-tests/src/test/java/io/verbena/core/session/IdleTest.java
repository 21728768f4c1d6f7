package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of a session that had nothing to do: they arrive while the loops wait. */
class IdleTest {
  private static final Duration IDLE = Duration.ofMillis(900);
  private static final Duration TIMEOUT = Duration.ofMillis(250);

  private final SteppedWorld world = new SteppedWorld();
  private final Session session = world.client().session(world.address());
  private final Probe.Stub hasty = new Probe.Stub(session, CallOptions.timeout(TIMEOUT));
  private final List<Duration> left = new ArrayList<>();
  private final List<Session> accepted = new ArrayList<>();

  private final VerbenaServer server =
      world.server(
          settings ->
              settings
                  .onSession(accepted::add)
                  .serve(
                      Probe.bind(
                          new Probe.Plain() {
                            @Override
                            public String echo(String text) {
                              left.add(CallContext.current().remaining());
                              return text;
                            }

                            @Override
                            public String slow(String text) {
                              return echo(text);
                            }
                          })));

  IdleTest() {
    CompletableFuture<String> first = hasty.submit(Probe.ECHO, "opens the session");
    world.runUntil(first::isDone);
    world.settle();
    left.clear();
  }

  @AfterEach
  void end() {
    server.close();
    world.close();
  }

  @Test
  void aCallHasItsWholeTimeHoweverLongTheLoopsHaveWaited() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    world.passIdle(IDLE, () -> calls.add(hasty.submit(Probe.SLOW, "late")));
    world.settle();
    assertThat(left).containsExactly(TIMEOUT);
    assertThat(calls.getFirst()).isCompletedWithValue("late");
  }

  @Test
  void aCallOfTheServersHasItToo() {
    Probe.Stub back = new Probe.Stub(accepted.getFirst(), CallOptions.timeout(TIMEOUT));
    session.serve(
        Probe.bind(
            new Probe.Plain() {
              @Override
              public String slow(String text) {
                left.add(CallContext.current().remaining());
                return text;
              }
            }));
    world.settle();
    List<CompletableFuture<String>> calls = new ArrayList<>();
    world.passIdle(IDLE, () -> calls.add(back.submit(Probe.SLOW, "late")));
    world.settle();
    assertThat(left).containsExactly(TIMEOUT);
    assertThat(calls.getFirst()).isCompletedWithValue("late");
  }

  @Test
  void aCallMadeAsAnAnswerEndsAWaitHasItToo() {
    CompletableFuture<String> first = new CompletableFuture<>();
    List<CompletableFuture<String>> second = new ArrayList<>();
    first.thenAccept(text -> second.add(hasty.submit(Probe.SLOW, text)));
    world.passIdle(
        IDLE, () -> hasty.submit(Probe.ECHO, "again").thenAccept(text -> first.complete(text)));
    world.settle();
    assertThat(left).containsExactly(TIMEOUT, TIMEOUT);
    assertThat(second.getFirst()).isCompletedWithValue("again");
  }
}
