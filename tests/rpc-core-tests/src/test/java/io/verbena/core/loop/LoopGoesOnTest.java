package io.verbena.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkException;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.mem.InMemoryNetwork;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nothing that is run on a loop ends it, or keeps the rest from being run. */
class LoopGoesOnTest {
  private static final class Odd extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new AssertionError("no words");
    }
  }

  private long now;
  private final NanoClock clock = () -> now;
  private final EventLoop loop =
      new EventLoop("test", clock, new InMemoryNetwork(clock, InMemoryNetwork.DEFAULT_RING_FRAMES));
  private final List<String> ran = new ArrayList<>();

  @Test
  void commandsGoOn() {
    loop.execute(
        () -> {
          throw new Odd();
        });
    loop.execute(() -> ran.add("the next"));
    loop.atCycleEnd(
        () -> {
          throw new Odd();
        });
    loop.atCycleEnd(() -> ran.add("the end"));
    loop.doWork();
    assertThat(ran).containsExactly("the next", "the end");
  }

  @Test
  void timersGoOn() {
    loop.timers()
        .schedule(
            10,
            at -> {
              throw new Odd();
            });
    loop.timers().schedule(10, at -> ran.add("due as well"));
    loop.timers().schedule(20_000_000, at -> ran.add("due later"));
    now = 10_000_000;
    loop.doWork();
    assertThat(ran).containsExactly("due as well");
    now = 40_000_000;
    loop.doWork();
    assertThat(ran).containsExactly("due as well", "due later");
  }

  @Test
  void commandsAndTimersGoOnWhileADriverThatThrewIsClosed() throws LinkException {
    loop.upgradeDriver(new Closing());
    loop.timers().schedule(10, at -> ran.add("a timer"));
    loop.doWork();
    assertThat(ran).containsExactly("a command", "a timer", "closed");
  }

  /** Its driver throws when it is polled, and waits while it closes. */
  private final class Closing implements UpgradeProvider {
    @Override
    public String kind() {
      return "closing";
    }

    @Override
    public Availability availability() {
      return new Availability.Available("");
    }

    @Override
    public UpgradeDriver newDriver(Runnable wakeLoop) {
      return (UpgradeDriver)
          Proxy.newProxyInstance(
              UpgradeDriver.class.getClassLoader(),
              new Class<?>[] {UpgradeDriver.class},
              (self, method, arguments) -> {
                if (method.getName().equals("poll")) {
                  throw new IllegalStateException("broken");
                } else if (method.getName().equals("close")) {
                  now = 10_000_000;
                  loop.execute(() -> ran.add("a command"));
                  ((Runnable) arguments[0]).run();
                  ran.add("closed");
                }
                return null;
              });
    }
  }
}
