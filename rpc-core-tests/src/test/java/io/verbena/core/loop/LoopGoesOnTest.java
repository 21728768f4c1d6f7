package io.verbena.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.runtime.NanoClock;
import io.verbena.mem.InMemoryNetwork;
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
}
