package io.verbena.core.session;

import static io.verbena.testkit.RawPeer.frame;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.core.ClientAuthenticator.AuthenticationException;
import io.verbena.core.Probe;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A peer cannot flood the log: repeated lines are counted, not written. */
class LogFloodTest {
  private static final Logger VERBENA = (Logger) LoggerFactory.getLogger("io.verbena");
  private static final int TIMES = Boolean.getBoolean("verbena.long") ? 400 : 100;

  /** Those at once, and some for the time that it takes on a slow machine. */
  private static final int MOST_LINES = ThrottledLog.AT_ONCE + 5;

  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private final SteppedWorld world = new SteppedWorld();
  private final LinkDriver attacker = world.network().newDriver(() -> {});
  private final List<Session> accepted = new ArrayList<>();
  private long before;

  @BeforeEach
  void listen() {
    world.server(
        s ->
            s.onSession(accepted::add)
                .authenticator(
                    shown -> {
                      if (shown.token().equals("bad")) {
                        throw new AuthenticationException("no such user");
                      }
                      return "anybody";
                    })
                .serve(
                    Probe.bind(
                        new Probe.Plain() {
                          @Override
                          public void tell(String text) {
                            throw new IllegalStateException("not told");
                          }

                          @Override
                          public String echo(String text) {
                            if (text.equals("bug")) {
                              throw new IllegalStateException("a bug");
                            }
                            return text;
                          }

                          @Override
                          public String slow(String text) {
                            throw new StackOverflowError("only said so");
                          }
                        })));
    before = counted();
    told.start();
    VERBENA.addAppender(told);
    VERBENA.setAdditive(false);
    VERBENA.setLevel(Level.INFO);
  }

  @AfterEach
  void fewLinesAreTold() {
    VERBENA.detachAppender(told);
    VERBENA.setAdditive(true);
    VERBENA.setLevel(null);
    world.close();
    assertThat(linesByPlace())
        .allSatisfy((place, lines) -> assertThat(lines).isLessThanOrEqualTo(MOST_LINES));
    assertThat(counted() - before).isGreaterThanOrEqualTo(TIMES);
  }

  /** A place in the code is known by its logger and its words. */
  private Map<String, Long> linesByPlace() {
    return told.list.stream()
        .collect(
            Collectors.groupingBy(
                line -> line.getLoggerName() + line.getMessage().split(" \\(and ", 2)[0],
                Collectors.counting()));
  }

  private static long counted() {
    return ThrottledLog.counts().values().stream().mapToLong(Long::longValue).sum();
  }

  private RawPeer open() {
    RawPeer raw = new RawPeer();
    attacker.connect(
        URI.create(world.address()), LinkOptions.of(64 * 1024, Duration.ofSeconds(5), null), raw);
    settle();
    raw.sayHello();
    settle();
    return raw;
  }

  private void settle() {
    for (int i = 0; i < 4; i++) {
      attacker.poll();
      world.settle();
    }
  }

  @Test
  void byOnewayCallsToAServiceThatIsNotThere() {
    RawPeer raw = open();
    for (int i = 1; i <= TIMES; i++) {
      raw.send(RawPeer.call(FrameKind.ONEWAY, i, i, 1_000_000, 99, out -> {}));
      settle();
    }
  }

  @Test
  void byBreakingTheProtocolAgainAndAgain() {
    for (int i = 0; i < TIMES; i++) {
      RawPeer raw = open();
      raw.send(frame(FrameKind.CANCEL, 7, 1, out -> {}));
      settle();
    }
  }

  @Test
  void byDroppingOnewayCalls() {
    Session session = world.client().session(world.address());
    ServiceCaller caller = session.caller(Probe.service("string"), CallOptions.DEFAULT);
    for (int i = 0; i < TIMES; i++) {
      caller.send(Probe.TELL, out -> {}); // without its argument
      world.pass(Duration.ofMillis(30));
    }
    assertThat(((SessionImpl) session).stat().oneways().refusedByPeer()).isEqualTo(TIMES);
  }

  @Test
  void byLeavingWithOnewayCalls() {
    for (int i = 0; i < TIMES; i++) {
      Session session = world.client().session(world.address());
      Probe.Stub stub = new Probe.Stub(session);
      CompletableFuture<String> call = stub.submit(Probe.ECHO, "");
      world.runUntil(call::isDone);
      stub.tell("never done");
      for (int step = 0; step < 10; step++) {
        world.step(); // without handlers
      }
      accepted.getLast().close();
      world.settle();
      session.close();
    }
  }

  @Test
  void byRefusingSessionsForOnewayCalls() {
    world.network().admit(URI.create(world.address()), InMemoryNetwork.Admission.REFUSE);
    Session session = world.client().session(world.address());
    Probe.Stub stub = new Probe.Stub(session);
    for (int i = 1; i <= TIMES; i++) {
      int times = i;
      stub.tell("not sent");
      world.runUntil(() -> ((SessionImpl) session).stat().oneways().unsent() == times);
    }
  }

  @Test
  void byCredentialsThatAreRefused() {
    Session session = world.client(c -> c.token(() -> "bad")).session(world.address());
    for (int i = 0; i < TIMES; i++) {
      CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "");
      world.runUntil(call::isDone);
      assertThat(call).isCompletedExceptionally();
    }
  }

  @Test
  void byOnewayCallsThatFail() {
    Probe.Stub stub = new Probe.Stub(world.client().session(world.address()));
    for (int i = 0; i < TIMES; i++) {
      stub.tell("again");
      world.pass(Duration.ofMillis(30));
    }
  }

  @Test
  void byHandlersThatHaveABug() {
    Probe.Stub stub = new Probe.Stub(world.client().session(world.address()));
    for (int i = 0; i < TIMES; i++) {
      CompletableFuture<String> call = stub.submit(Probe.ECHO, "bug");
      world.runUntil(call::isDone);
    }
  }

  @Test
  void byHandlersThatEndInErrorsOfTheMachine() {
    Probe.Stub stub = new Probe.Stub(world.client().session(world.address()));
    for (int i = 0; i < TIMES; i++) {
      CompletableFuture<String> call = stub.submit(Probe.SLOW, "");
      world.runUntil(call::isDone);
    }
  }

  @Test
  void byPushesWhoseHandlerFails() {
    Session session = world.client().session(world.address());
    CompletableFuture<String> opens = new Probe.Stub(session).submit(Probe.ECHO, "");
    world.runUntil(opens::isDone);
    accepted
        .getFirst()
        .objects()
        .onPush(
            new PushHandler() {
              @Override
              public Landing offered(Offer offer) {
                return Landing.pooled(9);
              }

              @Override
              public void received(Offer offer, Received object) {
                throw new IllegalStateException("no use for it");
              }
            });
    for (int i = 0; i < TIMES; i++) {
      CompletableFuture<Received> push =
          session.objects().push("x", Source.of(new byte[9])).result().toCompletableFuture();
      world.runUntil(push::isDone);
      world.settle();
    }
  }

  @Test
  void bySessionsThatComeAndGo() {
    for (int i = 0; i < TIMES; i++) {
      Session session = world.client().session(world.address());
      CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.SLOW, "");
      world.runUntil(call::isDone);
      session.close();
      world.settle();
    }
  }
}
