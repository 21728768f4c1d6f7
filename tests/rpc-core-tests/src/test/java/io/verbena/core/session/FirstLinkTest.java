package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.core.Probe;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The session's first link is lost while the better one lives: calls stay there, and the first one
 * is made again beside it within the resume window.
 */
class FirstLinkTest extends TwoLinks {
  private static final Duration BEYOND_THE_WINDOW = Duration.ofSeconds(7);

  private void upgradeIt() {
    call("first");
    world.passHeadStart();
    assertThat(upgrade.lastOffer()).isNotNull();
  }

  private void call(String text) {
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, text);
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue(text);
    assertThat(executions).containsEntry(text, 1);
  }

  @Test
  void callsStayOnTheBetterLinkWhileNoOtherFirstOneCanBeHad() {
    upgradeIt();
    URI before = fastLink();
    refuse();
    world.network().drop(first, "timed out by a firewall");
    world.settle();
    call("without it");
    world.pass(Duration.ofSeconds(1));
    call("still without");
    accept();
    world.pass(Duration.ofSeconds(2));
    call("with it");
    world.pass(BEYOND_THE_WINDOW);
    call("much later");
    assertThat(fastLink()).as("the better link was never left").isEqualTo(before);
  }

  @Test
  void theNextFirstLinkSettlesTheSessionWhenTheBetterOneDies() {
    upgradeIt();
    URI before = fastLink();
    world.network().drop(first, "timed out by a firewall");
    world.settle();
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "under way");
    world.step();
    fast.drop(before, "cable pulled");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("under way");
    assertThat(executions).containsEntry("under way", 1);
    world.pass(Duration.ofSeconds(2));
    assertThat(fastLink()).as("it upgrades again").isNotEqualTo(before);
  }

  @Test
  void aFirstLinkThatOnlyTheClientKnowsToBeDeadIsReplaced() {
    upgradeIt();
    URI before = fastLink();
    world.network().cut(first);
    world.pass(BEYOND_THE_WINDOW);
    call("by the better one");
    world.pass(BEYOND_THE_WINDOW);
    call("later");
    assertThat(fastLink()).isEqualTo(before);
  }

  @Test
  void withoutAFirstLinkBeyondTheWindowTheSessionEnds() {
    upgradeIt();
    refuse();
    world.network().drop(first, "the firewall stays shut");
    world.settle();
    call("within the window");
    world.pass(BEYOND_THE_WINDOW);
    assertThat(session.path().link()).isEqualTo("none");
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "too late");
    world.pass(Duration.ofSeconds(1));
    assertThat(((RpcException) call.exceptionNow()).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    accept();
    call("in a new session");
    assertThat(accepted).hasSize(2);
  }

  @Test
  void whenTheBetterLinkDiesMeanwhileTheWholeSessionResumes() {
    upgradeIt();
    refuse();
    world.network().drop(first, "cable pulled");
    world.settle();
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.SLOW, "waits");
    world.step();
    fast.drop(fastLink(), "the other cable pulled");
    world.pass(Duration.ofSeconds(2));
    assertThat(session.path().link()).isEqualTo("none");
    accept();
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("waits");
    assertThat(executions).containsEntry("waits", 1);
    assertThat(accepted).hasSize(1);
  }

  @Test
  void theLossOfTheBetterLinkMeanwhileBuysNoMoreTime() {
    upgradeIt();
    refuse();
    world.network().drop(first, "cable pulled");
    world.pass(Duration.ofSeconds(4));
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.SLOW, "lost");
    fast.drop(fastLink(), "the other cable pulled");
    world.pass(Duration.ofMillis(2500));
    assertThat(call).isCompletedExceptionally();
  }

  @Test
  void aSessionThatIsClosedWithoutItsFirstLinkSaysGoodbyeByTheOther() {
    upgradeIt();
    refuse();
    world.network().drop(first, "cable pulled");
    world.settle();
    session.close();
    world.settle();
    assertThat(accepted.getFirst().path().reason()).contains("the peer closed the session");
  }

  /** If either link dies, in either order, each call ends once and well. */
  @Test
  void nothingIsLostWheneverTheFirstLinkDiesAroundChangesOfPathAndSettling() {
    int stride = Boolean.getBoolean("verbena.long") ? 1 : 4;
    for (int toFirst = 0; toFirst < 16; toFirst += stride) {
      for (int toBetter = 0; toBetter < 6; toBetter++) {
        for (boolean betterFirst : new boolean[] {false, true}) {
          world.close();
          start();
          bothDie(toFirst, toBetter, betterFirst);
        }
      }
    }
  }

  private void bothDie(int toFirst, int toBetter, boolean betterFirst) {
    executions.clear();
    Probe.Stub stub = new Probe.Stub(session);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    String name = toFirst + "." + toBetter + "." + betterFirst + ".";
    calls.add(stub.submit(Probe.ECHO, name + "opens"));
    while (session.path().link().equals("none")) {
      world.step(); // a session that never was open has nothing to resume
    }
    for (int i = 0; i < toFirst; i++) {
      calls.add(stub.submit(Probe.ECHO, name + "a" + i));
      world.step();
    }
    die(betterFirst);
    for (int i = 0; i < toBetter; i++) {
      calls.add(stub.submit(Probe.SLOW, name + "b" + i));
      world.step();
    }
    die(!betterFirst);
    world.pass(Duration.ofSeconds(3));
    for (CompletableFuture<String> call : calls) {
      assertThat(call.isDone() && !call.isCompletedExceptionally())
          .as(() -> name + " " + call + " over " + session.path())
          .isTrue();
    }
    assertThat(executions).hasSize(calls.size()).allSatisfy((t, n) -> assertThat(n).isEqualTo(1));
  }

  private void die(boolean better) {
    URI offer = upgrade.lastOffer();
    if (!better) {
      world.network().drop(first, "dropped by the test");
    } else if (offer != null) {
      fast.drop(offer, "dropped by the test");
    }
  }
}
