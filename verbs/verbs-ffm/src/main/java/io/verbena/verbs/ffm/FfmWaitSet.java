package io.verbena.verbs.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.WaitSet;
import io.verbena.verbs.ffm.cm.FfmEventChannel;
import io.verbena.verbs.ffm.cq.FfmCompChannel;
import io.verbena.verbs.ffm.device.FfmContext;
import io.verbena.verbs.ffm.lib.Libc;
import io.verbena.verbs.ffm.life.Deadline;
import io.verbena.verbs.ffm.life.Lifetime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/** Waits with epoll. A destroyed channel disappears from epoll. */
final class FfmWaitSet implements WaitSet {
  private static final int EPOLLIN = 1;
  private static final int EVENTS = 16;

  /** {@code struct epoll_event} is packed on x86-64 (12 bytes) and natural elsewhere (16). */
  private static final int EPOLL_EVENT_BYTES =
      System.getProperty("os.arch").equals("amd64") ? 12 : 16;

  private final Lifetime life = new Lifetime("the wait set", "channels");
  private final int epoll;
  private final int wake;

  /** The owner of each descriptor; confined to the thread that waits and adds. */
  private final Map<Integer, Lifetime> members = new HashMap<>();

  private final MemorySegment events =
      Arena.ofAuto().allocate((long) EVENTS * EPOLL_EVENT_BYTES, 8);
  private final MemorySegment count = Arena.ofAuto().allocate(JAVA_LONG);

  FfmWaitSet() throws IOException {
    epoll = Libc.epollCreate();
    wake = Libc.eventfd();
    watch(wake);
  }

  @Override
  public void add(RdmaEventChannel channel) throws IOException {
    FfmEventChannel mine = (FfmEventChannel) channel;
    try (var _ = mine.life().use("epoll_ctl")) {
      add(mine.file().fd(), mine.life());
    }
  }

  @Override
  public void add(IbvCompChannel channel) throws IOException {
    FfmCompChannel mine = (FfmCompChannel) channel;
    try (var _ = mine.life().use("epoll_ctl")) {
      add(mine.file().fd(), mine.life());
    }
  }

  @Override
  public void add(IbvContext context) throws IOException {
    add(((FfmContext) context).asyncFile().fd(), life);
  }

  private void add(int fd, Lifetime member) throws IOException {
    try (var _ = life.use("epoll_ctl")) {
      forgetClosed();
      watch(fd);
      members.put(fd, member);
    }
  }

  /** A channel that is closed but not freed yet would be ready for ever. */
  private void forgetClosed() throws IOException {
    for (var entries = members.entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry<Integer, Lifetime> entry = entries.next();
      if (!entry.getValue().isOpen()) {
        Libc.epollForget(epoll, entry.getKey());
        entries.remove();
      }
    }
  }

  private void watch(int fd) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment event = arena.allocate(EPOLL_EVENT_BYTES, 8);
      event.set(JAVA_INT, 0, EPOLLIN);
      event.set(JAVA_INT, EPOLL_EVENT_BYTES - Long.BYTES, fd);
      Libc.epollAdd(epoll, fd, event);
    }
  }

  @Override
  public boolean await(long timeoutNanos) throws IOException {
    Deadline deadline = Deadline.ofNanos(timeoutNanos);
    try (var _ = life.use("epoll_wait")) {
      forgetClosed();
      while (true) {
        int millis = deadline.pollMillis();
        int ready = Libc.epollWait(epoll, events, EVENTS, millis);
        if (ready > 0) {
          Libc.eventfdRead(wake, count);
          return true;
        }
        if (millis == 0) {
          return false;
        }
      }
    }
  }

  @Override
  public void wakeup() {
    try (var _ = life.use("eventfd_write")) {
      Libc.eventfdWrite(wake);
    } catch (VerbsException closed) {
      // No thread waits on a closed set.
    }
  }

  @Override
  public void close() {
    if (!life.isOpen()) {
      return;
    }
    try {
      life.close("close", () -> Libc.eventfdWrite(wake), this::free);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void free() throws IOException {
    Libc.close(epoll);
    Libc.close(wake);
  }
}
