package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvQP;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.VerbsContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;

/**
 * A device's reports outside of its completion queues. The device gives each report once per
 * process, to the first that asks. So all loops that use the device ask here. A report about a
 * queue pair is kept for its loop, and one about a queue or the device for every loop. Safe for use
 * by any thread.
 */
final class DeviceEvents {
  private static final Map<IbvContext, DeviceEvents> BY_DEVICE = new WeakHashMap<>();

  /** The state of an existing queue pair. */
  private static final class Known {
    final Queue<AsyncEvent> reports;
    boolean lastReceiveReached;

    Known(Queue<AsyncEvent> reports) {
      this.reports = reports;
    }
  }

  /** The reports for each loop that uses the device. */
  private final List<Queue<AsyncEvent>> loops = new ArrayList<>();

  private final Map<Integer, Known> queuePairs = new HashMap<>();

  private DeviceEvents() {}

  /** Returns the instance that all loops of this process share for a device. */
  static DeviceEvents of(IbvContext device) {
    synchronized (BY_DEVICE) {
      return BY_DEVICE.computeIfAbsent(device, _ -> new DeviceEvents());
    }
  }

  /**
   * Adds a loop.
   *
   * @param reports receives what it has to heed; safe for use by any thread
   */
  synchronized void join(Queue<AsyncEvent> reports) {
    loops.add(reports);
  }

  synchronized void leave(Queue<AsyncEvent> reports) {
    loops.removeIf(one -> one == reports);
  }

  /**
   * Adds a queue pair.
   *
   * @param reports those of its loop
   */
  synchronized void add(int queuePair, Queue<AsyncEvent> reports) {
    queuePairs.put(queuePair, new Known(reports));
  }

  synchronized void remove(int queuePair) {
    queuePairs.remove(queuePair);
  }

  /** Reads all reports of the device up to now. */
  synchronized void read(IbvContext device) throws IOException {
    AsyncEvent event;
    while ((event = VerbsContext.of(device).nextAsyncEvent(0)) != null) {
      heed(event);
    }
  }

  private void heed(AsyncEvent event) throws IOException {
    IbvQP about = event.qp();
    Known known = about == null ? null : queuePairs.get(about.getQp_num());
    switch (event.type()) {
      case QP_LAST_WQE_REACHED -> {
        if (known != null) {
          known.lastReceiveReached = true;
        }
      }
      case QP_ACCESS_ERR, QP_REQ_ERR, QP_FATAL -> {
        if (known != null) {
          known.reports.add(event);
        }
      }
      case CQ_ERR, SRQ_ERR, DEVICE_FATAL -> loops.forEach(loop -> loop.add(event));
      default -> {
        // A path or port that fails is seen by the requests that fail. No path is ever migrated.
      }
    }
  }

  /** Returns whether a queue pair in ERR will take no more shared receives. */
  synchronized boolean isLastReceiveReached(int queuePair) {
    Known known = queuePairs.get(queuePair);
    return known != null && known.lastReceiveReached;
  }
}
