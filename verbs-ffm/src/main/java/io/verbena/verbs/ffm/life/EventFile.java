package io.verbena.verbs.ffm.life;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.verbs.ffm.lib.Libc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Waits for the file descriptor of a channel with a time limit, and can be woken for closing.
 *
 * <p>The descriptor is set non-blocking: of several threads that see it readable, those that come
 * too late get EAGAIN instead of blocking past their limit. Any thread; a virtual thread pins its
 * carrier while it waits.
 */
public final class EventFile {
  private static final long POLLFD_BYTES = 8;

  private final int fd;
  private final int wake;

  /** Takes the descriptor over for waiting; its owner still closes it. */
  public EventFile(int fd) throws IOException {
    Libc.nonBlocking(fd);
    this.fd = fd;
    wake = Libc.eventfd();
  }

  /** The channel's own descriptor. */
  public int fd() {
    return fd;
  }

  /** Waits until there is something to read: false when the time is over or {@link #wake} came. */
  public boolean await(Deadline deadline) throws IOException {
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

  /** Frees what waiting took, when nobody waits any more; not the channel's descriptor. */
  public void close() throws IOException {
    Libc.close(wake);
  }
}
