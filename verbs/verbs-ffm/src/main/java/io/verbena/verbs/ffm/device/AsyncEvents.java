package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.ASYNC_EVENT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ffm.cq.FfmCq;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Deadline;
import io.verbena.verbs.ffm.life.EventFile;
import io.verbena.verbs.ffm.qp.FfmQp;
import io.verbena.verbs.ffm.qp.FfmSrq;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Takes the asynchronous events of a device. Each event is copied and acknowledged at once, so that
 * destroying its object never waits for the application. Safe for use by any thread.
 */
final class AsyncEvents {
  private static final AsyncEvent.Type[] TYPES = AsyncEvent.Type.values();

  private final MemorySegment context;
  private final EventFile file;
  private final LiveObjects live;

  AsyncEvents(MemorySegment context, EventFile file, LiveObjects live) {
    this.context = context;
    this.file = file;
    this.live = live;
  }

  /** Returns the next event, or null if none came in time. Unknown types are skipped. */
  @Nullable AsyncEvent next(Deadline deadline) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment event = Pointers.room(arena, ASYNC_EVENT);
      return file.next(deadline, () -> tryTake(event));
    }
  }

  private @Nullable AsyncEvent tryTake(MemorySegment event) throws IOException {
    AsyncEvent copy = null;
    while (copy == null && Ibverbs.GET_ASYNC_EVENT.ready(context, event)) {
      copy = copy(event);
      Ibverbs.ACK_ASYNC_EVENT.run(event);
    }
    return copy;
  }

  private @Nullable AsyncEvent copy(MemorySegment event) {
    int number = event.get(JAVA_INT, ASYNC_EVENT.offset("event_type"));
    if (number < 0 || number >= TYPES.length) {
      return null;
    }
    AsyncEvent.Type type = TYPES[number];
    long element = event.get(JAVA_LONG, ASYNC_EVENT.offset("element.cq"));
    return switch (type) {
      case CQ_ERR -> new AsyncEvent(type, null, live.find(element, FfmCq.class), null, 0);
      case QP_FATAL,
          QP_REQ_ERR,
          QP_ACCESS_ERR,
          COMM_EST,
          SQ_DRAINED,
          PATH_MIG,
          PATH_MIG_ERR,
          QP_LAST_WQE_REACHED ->
          new AsyncEvent(type, live.find(element, FfmQp.class), null, null, 0);
      case SRQ_ERR, SRQ_LIMIT_REACHED ->
          new AsyncEvent(type, null, null, live.find(element, FfmSrq.class), 0);
      case PORT_ACTIVE,
          PORT_ERR,
          LID_CHANGE,
          PKEY_CHANGE,
          SM_CHANGE,
          CLIENT_REREGISTER,
          GID_CHANGE ->
          new AsyncEvent(type, null, null, null, (int) element);
      case DEVICE_FATAL, WQ_FATAL -> new AsyncEvent(type, null, null, null, 0);
    };
  }
}
