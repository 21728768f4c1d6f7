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
 * What a device says of queue pairs outside their completion queues. It says each thing once in a
 * process, to whoever asks first; so all loops that use the device ask here, and what is about
 * another loop's queue pair is kept for that loop. Safe for use by any thread.
 */
final class QueuePairEvents {
  private static final Map<IbvContext, QueuePairEvents> BY_DEVICE = new WeakHashMap<>();

  /** That the peer's request was refused, and the queue pair ended. */
  record Refusal(int queuePair, boolean ofAccess) {}

  /** What is known of a queue pair that stands. */
  private static final class Known {
    final Queue<Refusal> refusals;
    boolean lastReceiveReached;

    Known(Queue<Refusal> refusals) {
      this.refusals = refusals;
    }
  }

  private final Map<Integer, Known> queuePairs = new HashMap<>();

  private QueuePairEvents() {}

  /** Returns what all in this process share of a device. */
  static QueuePairEvents of(IbvContext device) {
    synchronized (BY_DEVICE) {
      return BY_DEVICE.computeIfAbsent(device, _ -> new QueuePairEvents());
    }
  }

  /**
   * A queue pair stands from now on.
   *
   * @param refusals where to tell that its peer was refused something; safe for use by any thread
   */
  synchronized void add(int queuePair, Queue<Refusal> refusals) {
    queuePairs.put(queuePair, new Known(refusals));
  }

  synchronized void remove(int queuePair) {
    queuePairs.remove(queuePair);
  }

  /** Takes note of everything that the device has said until now. */
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
        // Completions tell of everything else that ends a queue pair.
      }
    }
  }

  /** Returns whether a queue pair in ERR will take no more shared receives. */
  synchronized boolean isLastReceiveReached(int queuePair) {
    Known known = queuePairs.get(queuePair);
    return known != null && known.lastReceiveReached;
  }
}
