package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvQP;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.VerbsContext;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;

/**
 * A device's reports about queue pairs outside of their completion queues. The device gives each
 * report once per process, to the first that asks. So all loops that use the device ask here, and
 * reports about another loop's queue pair are kept for that loop. Safe for use by any thread.
 */
final class QueuePairEvents {
  private static final Map<IbvContext, QueuePairEvents> BY_DEVICE = new WeakHashMap<>();

  /** The device has refused a peer's request, and has ended the queue pair. */
  record Refusal(int queuePair, boolean ofAccess) {}

  /** The state of an existing queue pair. */
  private static final class Known {
    final Queue<Refusal> refusals;
    boolean lastReceiveReached;

    Known(Queue<Refusal> refusals) {
      this.refusals = refusals;
    }
  }

  private final Map<Integer, Known> queuePairs = new HashMap<>();

  private QueuePairEvents() {}

  /** Returns the instance that all loops of this process share for a device. */
  static QueuePairEvents of(IbvContext device) {
    synchronized (BY_DEVICE) {
      return BY_DEVICE.computeIfAbsent(device, _ -> new QueuePairEvents());
    }
  }

  /**
   * Adds a queue pair.
   *
   * @param refusals receives refusals of its peer's requests; safe for use by any thread
   */
  synchronized void add(int queuePair, Queue<Refusal> refusals) {
    queuePairs.put(queuePair, new Known(refusals));
  }

  synchronized void remove(int queuePair) {
    queuePairs.remove(queuePair);
  }

  /** Reads all reports of the device up to now. */
  synchronized void read(IbvContext device) throws IOException {
    AsyncEvent event;
    while ((event = VerbsContext.of(device).nextAsyncEvent(0)) != null) {
      IbvQP about = event.qp();
      Known known = about == null ? null : queuePairs.get(about.getQp_num());
      if (about != null && known != null) {
        heed(event.type(), about.getQp_num(), known);
      }
    }
  }

  private static void heed(AsyncEvent.Type type, int queuePair, Known known) {
    switch (type) {
      case QP_LAST_WQE_REACHED -> known.lastReceiveReached = true;
      case QP_ACCESS_ERR -> known.refusals.add(new Refusal(queuePair, true));
      case QP_REQ_ERR -> known.refusals.add(new Refusal(queuePair, false));
      default -> {
        // Completions show every other end of a queue pair.
      }
    }
  }

  /** Returns whether a queue pair in ERR will take no more shared receives. */
  synchronized boolean isLastReceiveReached(int queuePair) {
    Known known = queuePairs.get(queuePair);
    return known != null && known.lastReceiveReached;
  }
}
