package io.verbena.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A loop asks for what has come as often as it must, and no oftener: each time is a system call.
 */
class WaitsOfALoopTest {
  private static final long MILLI = 1_000_000;

  private final List<String> asked = new ArrayList<>();
  private int ready;

  private final LinkDriver driver =
      new LinkDriver() {
        @Override
        public int poll() {
          asked.add("poll");
          return taken();
        }

        @Override
        public int await(long nanos) {
          asked.add("await");
          return taken();
        }

        private int taken() {
          int taken = ready;
          ready = 0;
          return taken;
        }

        @Override
        public void wakeup() {}

        @Override
        public void connect(URI address, LinkOptions options, ConnectHandler handler) {
          throw new UnsupportedOperationException();
        }

        @Override
        public Listening listen(URI address, LinkOptions options, AcceptHandler handler)
            throws LinkException {
          throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
      };

  private final NanoClock clock = () -> 0;
  private final EventLoop loop = new EventLoop("test", clock, provider(driver));

  private static LinkProvider provider(LinkDriver driver) {
    return new LinkProvider() {
      @Override
      public String scheme() {
        return "test";
      }

      @Override
      public LinkDriver newDriver(Runnable wakeLoop) {
        return driver;
      }
    };
  }

  private void awaitOnce() {
    loop.endWait(loop.beginWait(MILLI));
  }

  @Test
  void aFrameThatEndsAWaitIsNotFollowedByALookBeforeTheNextWait() {
    ready = 1;
    awaitOnce();
    loop.atCycleEnd(() -> asked.add("answer"));
    assertThat(loop.doWork()).isEqualTo(1);
    awaitOnce();
    assertThat(asked).containsExactly("await", "answer", "await");
  }

  @Test
  void aLoopThatGoesOnWorkingLooksAgain() {
    ready = 1;
    awaitOnce();
    loop.doWork();
    loop.doWork();
    assertThat(asked).containsExactly("await", "poll");
  }

  @Test
  void aWaitThatEndedByItselfIsFollowedByALook() {
    awaitOnce();
    loop.doWork();
    assertThat(asked).containsExactly("await", "poll");
  }
}
