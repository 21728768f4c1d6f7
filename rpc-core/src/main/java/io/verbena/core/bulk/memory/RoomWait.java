package io.verbena.core.bulk.memory;

import io.verbena.core.loop.EventLoop;
import java.time.Duration;

/**
 * A transfer's wait for room on its path, where others have registered all the memory that may be,
 * or opened all the targets. Nobody says when there is some again, since those who hold it may be
 * of other sessions, on other loops; so it is looked for.
 */
public final class RoomWait {
  /** Nobody holds room for so long who moves; without it a transfer fails. */
  public static final Duration LONGEST = Duration.ofSeconds(10);

  private static final long AGAIN_NANOS = Duration.ofMillis(10).toNanos();

  private final EventLoop loop;
  private boolean waits;
  private boolean scheduled;
  private long since;

  public RoomWait(EventLoop loop) {
    this.loop = loop;
  }

  /**
   * There is no room: has it looked for again by and by.
   *
   * @return false if it was waited for long enough
   */
  public boolean goesOn(Runnable look) {
    long now = loop.clock().nanoTime();
    if (!waits) {
      waits = true;
      since = now;
    }
    if (now - since >= LONGEST.toNanos()) {
      return false;
    }
    if (!scheduled) {
      scheduled = true;
      loop.timers()
          .schedule(
              now + AGAIN_NANOS,
              later -> {
                scheduled = false;
                look.run();
              });
    }
    return true;
  }

  /** There was room. */
  public void ends() {
    waits = false;
  }
}
