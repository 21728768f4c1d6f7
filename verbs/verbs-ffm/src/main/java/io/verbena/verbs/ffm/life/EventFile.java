package io.verbena.verbs.ffm.life;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.verbs.ffm.lib.Libc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the file descriptor of a channel with a time limit. Closing ends the wait.
 *
 * <p>The descriptor is non-blocking. If several threads see it readable, one reads; the others get
 * EAGAIN and do not block past their limit. Safe for use by any thread. A virtual thread pins its
 * carrier while it waits.
 */
public final class EventFile {
  private static final long POLLFD_BYTES = 8;

  private final int fd;
  private final int wake;

  /** Makes a file for a descriptor, which its owner still closes. */
  public EventFile(int fd) throws IOException {
    Libc.nonBlocking(fd);
    this.fd = fd;
    wake = Libc.eventfd();
  }

  /** Returns the channel's descriptor. */
  public int fd() {
    return fd;
  }

  /** Takes an event of the channel without waiting. */
  @FunctionalInterface
  public interface Taking<T> {
    /** Returns null if there is no event now. */
    @Nullable T take() throws IOException;
  }

  /** Returns the next event, or null if none came in time, or on {@link #wake}. */
  public <T> @Nullable T next(Deadline deadline, Taking<T> taking) throws IOException {
    while (true) {
      T taken = taking.take();
      if (taken != null || !await(deadline)) {
        return taken;
      }
    }
  }

  /** Waits until the descriptor is readable. Returns false after the time, or on {@link #wake}. */
  private boolean await(Deadline deadline) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment fds = arena.allocate(2 * POLLFD_BYTES, POLLFD_BYTES);
      watch(fds, 0, fd);
      watch(fds, POLLFD_BYTES, wake);
      while (true) {
        int millis = deadline.pollMillis();
        int ready = Libc.poll(fds, 2, millis);
        if (ready > 0) {
          return fds.get(JAVA_SHORT, 6) != 0 && fds.get(JAVA_SHORT, POLLFD_BYTES + 6) == 0;
        }
        if (millis == 0) {
          return false;
        }
      }
    }
  }

  private static void watch(MemorySegment fds, long offset, int fd) {
    fds.set(JAVA_INT, offset, fd);
    fds.set(JAVA_SHORT, offset + 4, Libc.POLLIN);
  }

  /** Makes every wait, now and from now on, return false. */
  public void wake() throws IOException {
    Libc.eventfdWrite(wake);
  }

  /** Frees the resources for waiting, but not the descriptor. No thread may wait any more. */
  public void close() throws IOException {
    Libc.close(wake);
  }
}
