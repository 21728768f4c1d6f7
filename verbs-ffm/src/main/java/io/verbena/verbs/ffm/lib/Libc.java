package io.verbena.verbs.ffm.lib;

import static io.verbena.verbs.ffm.lib.Control.call;
import static io.verbena.verbs.ffm.lib.Control.unexpected;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The calls of the C library that waiting for file descriptors takes. */
public final class Libc {
  private Libc() {}

  /** For {@link #poll}: there is something to read. */
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
  private static final MethodHandle POLL =
      LIBRARY.control("poll", Shapes.status(ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle EVENTFD =
      LIBRARY.control("eventfd", Shapes.status(JAVA_INT, JAVA_INT));
  private static final MethodHandle EVENTFD_WRITE =
      LIBRARY.control("eventfd_write", Shapes.status(JAVA_INT, JAVA_LONG));
  private static final MethodHandle DUP3 =
      LIBRARY.control("dup3", Shapes.status(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle CLOSE = LIBRARY.control("close", Shapes.status(JAVA_INT));
  private static final MethodHandle EPOLL_CREATE1 =
      LIBRARY.control("epoll_create1", Shapes.status(JAVA_INT));
  private static final MethodHandle EPOLL_CTL =
      LIBRARY.control("epoll_ctl", Shapes.status(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle EPOLL_WAIT =
      LIBRARY.control("epoll_wait", Shapes.status(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final MethodHandle EVENTFD_READ =
      LIBRARY.control("eventfd_read", Shapes.status(JAVA_INT, ADDRESS));
  private static final MethodHandle FCNTL =
      LIBRARY.plain(
          "fcntl", Shapes.status(JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));

  /** Waits for events on {@code count} pollfds; 0 on time-out or interruption by a signal. */
  public static int poll(MemorySegment fds, long count, int timeoutMillis) throws VerbsException {
    try (Control call = call("poll")) {
      int ready = (int) POLL.invokeExact(call.errno, fds, count, timeoutMillis);
      if (ready < 0 && call.errno() != Errno.EINTR) {
        call.zero(ready);
      }
      return Math.max(ready, 0);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** A new event descriptor: readable from the first {@link #eventfdWrite} on. */
  public static int eventfd() throws VerbsException {
    try (Control call = call("eventfd")) {
      int fd = (int) EVENTFD.invokeExact(call.errno, 0, EFD_CLOEXEC_NONBLOCK);
      call.zero(Math.min(fd, 0));
      return fd;
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Makes an event descriptor readable. */
  public static void eventfdWrite(int fd) throws VerbsException {
    try (Control call = call("eventfd_write")) {
      call.zero((int) EVENTFD_WRITE.invokeExact(call.errno, fd, 1L));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Makes an event descriptor unreadable again; nothing to read is fine, too. */
  public static void eventfdRead(int fd, MemorySegment valueOut) throws VerbsException {
    try (Control call = call("eventfd_read")) {
      boolean wasReadable = call.ready((int) EVENTFD_READ.invokeExact(call.errno, fd, valueOut));
      assert wasReadable || call.errno() == Errno.EAGAIN;
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** A new epoll descriptor. */
  public static int epollCreate() throws VerbsException {
    try (Control call = call("epoll_create1")) {
      int fd = (int) EPOLL_CREATE1.invokeExact(call.errno, EPOLL_CLOEXEC);
      call.zero(Math.min(fd, 0));
      return fd;
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Adds a descriptor to an epoll set: {@code event} says what to wait for. */
  public static void epollAdd(int epoll, int fd, MemorySegment event) throws VerbsException {
    epollControl(epoll, EPOLL_CTL_ADD, fd, event);
  }

  /** Takes a descriptor out of an epoll set; closing it may have done that already. */
  public static void epollForget(int epoll, int fd) throws VerbsException {
    try {
      epollControl(epoll, EPOLL_CTL_DEL, fd, MemorySegment.NULL);
    } catch (VerbsException gone) {
      if (gone.errno() != Errno.ENOENT && gone.errno() != Errno.EBADF) {
        throw gone;
      }
    }
  }

  private static void epollControl(int epoll, int operation, int fd, MemorySegment event)
      throws VerbsException {
    try (Control call = call("epoll_ctl")) {
      call.zero((int) EPOLL_CTL.invokeExact(call.errno, epoll, operation, fd, event));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Waits for an epoll set; the number of events stored, 0 on time-out or a signal. */
  public static int epollWait(int epoll, MemorySegment events, int max, int timeoutMillis)
      throws VerbsException {
    try (Control call = call("epoll_wait")) {
      int ready = (int) EPOLL_WAIT.invokeExact(call.errno, epoll, events, max, timeoutMillis);
      if (ready < 0 && call.errno() != Errno.EINTR) {
        call.zero(ready);
      }
      return Math.max(ready, 0);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Closes the file behind a descriptor, which stays open on one that is never ready. */
  public static void letGo(int fd) throws VerbsException {
    int never = eventfd();
    try (Control call = call("dup3")) {
      int same = (int) DUP3.invokeExact(call.errno, never, fd, O_CLOEXEC);
      call.zero(Math.min(same, 0));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    } finally {
      close(never);
    }
  }

  /** Closes a file descriptor. */
  public static void close(int fd) throws VerbsException {
    try (Control call = call("close")) {
      call.zero((int) CLOSE.invokeExact(call.errno, fd));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Makes reads of a descriptor return EAGAIN where they would block. */
  public static void nonBlocking(int fd) throws VerbsException {
    try {
      int flags = (int) FCNTL.invokeExact(fd, F_GETFL, 0);
      if (flags < 0 || (int) FCNTL.invokeExact(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        throw Cures.failure("fcntl", Errno.EBADF);
      }
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }
}
