package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.SessionPath;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UpgradeWaitTest {
  private final AtomicInteger looks = new AtomicInteger();

  /** A session that is upgraded when its path is looked at so many times. */
  private Session upgradedAtLook(int look) {
    return (Session)
        Proxy.newProxyInstance(
            Session.class.getClassLoader(),
            new Class<?>[] {Session.class},
            (proxy, method, arguments) ->
                looks.incrementAndGet() < look
                    ? new SessionPath("tcp", "")
                    : new SessionPath("rdma", "rxe0"));
  }

  @Test
  void endsWhenTheSessionIsUpgraded() throws InterruptedException {
    Session session = upgradedAtLook(3);
    assertThat(UpgradeWait.await(session, Duration.ofHours(1))).isLessThan(Duration.ofHours(1));
    assertThat(UpgradeWait.isUpgraded(session)).isTrue();
  }

  @Test
  void endsWhenTheTimeIsOver() throws InterruptedException {
    Session session = upgradedAtLook(Integer.MAX_VALUE);
    Duration longest = Duration.ofMillis(30);
    assertThat(UpgradeWait.await(session, longest)).isGreaterThanOrEqualTo(longest);
    assertThat(UpgradeWait.isUpgraded(session)).isFalse();
  }

  @Test
  void looksOnceWhereThereIsNothingToWaitFor() throws InterruptedException {
    UpgradeWait.await(upgradedAtLook(Integer.MAX_VALUE), Duration.ZERO);
    assertThat(looks).hasValue(1);
  }
}
