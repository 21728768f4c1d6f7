package io.verbena.verbs.ffm.lib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;

/** Calls of the C library that wait for file descriptors and bind threads. */
public final class Libc {
  private Libc() {}

  /** The event of {@link #poll} for a readable descriptor. */
  public static final short POLLIN = 1;

  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final int EPOLL_CTL_ADD = 1;
  private static final int EPOLL_CTL_DEL = 2;
  private static final int EPOLL_CLOEXEC = 0x80000;
  private static final int O_CLOEXEC = 0x80000;
  private static final int EFD_CLOEXEC_NONBLOCK = 0x80000 | O_NONBLOCK;

  private static final NativeLibrary LIBRARY = NativeLibrary.libc();
  private static final Verb POLL = LIBRARY.status("poll", ADDRESS, JAVA_LONG, JAVA_INT);
  private static final Verb EVENTFD = LIBRARY.status("eventfd", JAVA_INT, JAVA_INT);
  private static final Verb EVENTFD_WRITE = LIBRARY.status("eventfd_write", JAVA_INT, JAVA_LONG);
  private static final Verb DUP3 = LIBRARY.status("dup3", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Verb CLOSE = LIBRARY.status("close", JAVA_INT);
  private static final Verb EPOLL_CREATE1 = LIBRARY.status("epoll_create1", JAVA_INT);
  private static final Verb EPOLL_CTL =
      LIBRARY.status("epoll_ctl", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
  private static final Verb EPOLL_WAIT =
      LIBRARY.status("epoll_wait", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final Verb EVENTFD_READ = LIBRARY.status("eventfd_read", JAVA_INT, ADDRESS);
  private static final Verb FCNTL =
      LIBRARY.control(
          "fcntl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(2));

  /** Waits for events on {@code count} pollfds. Returns 0 on timeout or for a signal. */
  public static int poll(MemorySegment fds, long count, int timeoutMillis) throws VerbsException {
    return POLL.count(fds, count, timeoutMillis);
  }

  /** Makes an event descriptor, which is readable after {@link #eventfdWrite}. */
  public static int eventfd() throws VerbsException {
    return EVENTFD.descriptor(0, EFD_CLOEXEC_NONBLOCK);
  }

  /** Makes an event descriptor readable. */
  public static void eventfdWrite(int fd) throws VerbsException {
    EVENTFD_WRITE.zero(fd, 1L);
  }

  /** Makes an event descriptor unreadable again. It need not be readable. */
  public static void eventfdRead(int fd, MemorySegment valueOut) throws VerbsException {
    boolean _ = EVENTFD_READ.ready(fd, valueOut);
  }

  /** Makes an epoll descriptor. */
  public static int epollCreate() throws VerbsException {
    return EPOLL_CREATE1.descriptor(EPOLL_CLOEXEC);
  }

  /** Adds a descriptor to an epoll set, to wait for {@code event}. */
  public static void epollAdd(int epoll, int fd, MemorySegment event) throws VerbsException {
    epollControl(epoll, EPOLL_CTL_ADD, fd, event);
  }

  /**
   * Removes a descriptor from an epoll set. Closing the descriptor may have removed it already, and
   * its number may now belong to another file, even to one that epoll does not support.
   */
  public static void epollForget(int epoll, int fd) throws VerbsException {
    try {
      epollControl(epoll, EPOLL_CTL_DEL, fd, MemorySegment.NULL);
    } catch (VerbsException gone) {
      if (gone.errno() != Errno.ENOENT
          && gone.errno() != Errno.EBADF
          && gone.errno() != Errno.EPERM) {
        throw gone;
      }
    }
  }

  private static void epollControl(int epoll, int operation, int fd, MemorySegment event)
      throws VerbsException {
    EPOLL_CTL.zero(epoll, operation, fd, event);
  }

  /** Waits for an epoll set. Returns the number of stored events; 0 on timeout or for a signal. */
  public static int epollWait(int epoll, MemorySegment events, int max, int timeoutMillis)
      throws VerbsException {
    return EPOLL_WAIT.count(epoll, events, max, timeoutMillis);
  }

  /** Closes the file of a descriptor. The descriptor stays open, on a file that is never ready. */
  public static void letGo(int fd) throws VerbsException {
    int never = eventfd();
    try {
      int _ = DUP3.descriptor(never, fd, O_CLOEXEC);
    } finally {
      close(never);
    }
  }

  /** Closes a file descriptor. */
  public static void close(int fd) throws VerbsException {
    CLOSE.zero(fd);
  }

  /** Makes reads of a descriptor fail with EAGAIN in place of blocking. */
  public static void nonBlocking(int fd) throws VerbsException {
    int flags = FCNTL.descriptor(fd, F_GETFL, 0);
    int _ = FCNTL.descriptor(fd, F_SETFL, flags | O_NONBLOCK);
  }
}
