package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkTarget;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.MemoryLife;
import io.verbena.link.Secret;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.wire.Greeting;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.rdma.wire.UpgradeRequest;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.security.SecureRandom;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A peer cannot flood the log by RDMA links: repeated lines are counted, not written. */
final class LogFloodTest {
  private static final int TIMES = 100;

  /** Those at once, and some for the time that it takes on a slow machine. */
  private static final int MOST_LINES = ThrottledLog.AT_ONCE + 5;

  private final PassiveEnd passive = new PassiveEnd(Seed.random("log floods").nextLong());
  private RawPeer peer;
  private CapturedLog log;
  private long before;

  @SuppressWarnings("NullAway.Init") // by begin
  LogFloodTest() {}

  @BeforeEach
  void begin() throws Exception {
    peer = new RawPeer(passive);
    before = counted();
    log = new CapturedLog("io.verbena", Level.INFO);
  }

  @AfterEach
  void fewLinesAreTold() {
    int lines = log.take().size();
    log.close();
    passive.close();
    assertThat(lines).isLessThanOrEqualTo(MOST_LINES);
    assertThat(counted() - before).isGreaterThanOrEqualTo(TIMES);
  }

  private static long counted() {
    return ThrottledLog.counts().values().stream().mapToLong(Long::longValue).sum();
  }

  private LinkEnd open() throws Exception {
    int links = passive.links.size();
    peer.connect(passive.offer());
    passive.stepUntil("the link", () -> passive.links.size() > links);
    return passive.links.getLast();
  }

  @Test
  void byConnectionRequestsWithoutAToken() throws Exception {
    byte[] offer = passive.offer();
    Terms terms = new Terms(32, 32, SendHeader.CONTROL_CREDITS, 8192, 0);
    Secret guessed = Secret.random(new SecureRandom());
    for (int i = 0; i < TIMES; i++) {
      peer.connect(
          RdmaOffer.decode(offer).candidates().getFirst(), new Greeting(guessed, terms).encode());
    }
    assertThat(passive.counted().unknownTokens()).isEqualTo(TIMES);
  }

  @Test
  void byBreakingTheRulesAgainAndAgain() throws Exception {
    for (int i = 0; i < TIMES; i++) {
      LinkEnd link = open();
      peer.send((byte) 1);
      passive.stepUntil("its end", () -> link.heard().isClosed());
    }
    assertThat(passive.counted().brokenRules()).isEqualTo(TIMES);
  }

  @Test
  void byLinksThatNobodyTakes() throws Exception {
    int[] refused = new int[1];
    LinkDriver.ConnectHandler nobody =
        new LinkDriver.ConnectHandler() {
          @Override
          public LinkListener onConnected(Link link) {
            refused[0]++;
            throw new IllegalStateException("nobody takes it");
          }

          @Override
          public void onFailed(LinkException failure) {}
        };
    for (int i = 1; i <= TIMES; i++) {
      byte[] offer =
          passive.driver.offer(
              UpgradeRequest.encode(),
              URI.create("tcp://10.9.0.2:7400"),
              PassiveEnd.OPTIONS,
              nobody);
      int times = i;
      Terms terms = new Terms(64, 64, SendHeader.CONTROL_CREDITS, RawPeer.SEND_BYTES, 0);
      RdmaOffer decoded = RdmaOffer.decode(offer);
      peer.connect(decoded.candidates().getFirst(), new Greeting(decoded.token(), terms).encode());
      passive.stepUntil("the link", () -> refused[0] == times);
    }
  }

  @Test
  void byGoingWhereOwnersOfLandingsFail() throws Exception {
    MemorySegment memory = passive.memory.allocate(1000, 8);
    for (int i = 0; i < TIMES; i++) {
      LinkEnd link = open();
      BulkPort port = Objects.requireNonNull(link.link().bulk());
      BulkTarget target = port.open(port.attach(memory, MemoryLife.HELD), 0, 1000, upTo -> {});
      target.close(
          () -> {
            throw new IllegalStateException("its owner fails");
          });
      link.link().abort("aborted by the test");
      passive.stepUntil("its end", () -> link.heard().isClosed());
    }
  }
}
