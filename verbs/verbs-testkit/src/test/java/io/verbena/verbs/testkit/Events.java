package io.verbena.verbs.testkit;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_TIMEWAIT_EXIT;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** An event channel, with a way to wait for the next event. */
public final class Events implements AutoCloseable {
  public final RdmaEventChannel channel;
  private final VerbsHarness harness;
  private final Deque<CmEvent> taken = new ArrayDeque<>();

  public Events(VerbsHarness harness, VerbsProvider provider) throws IOException {
    this.harness = harness;
    channel = provider.createEventChannel();
  }

  public RdmaCmId newId() throws IOException {
    return channel.createId(RdmaCm.RDMA_PS_TCP);
  }

  /** The next event, whatever it is; the end of a time-wait is none that anybody waits for. */
  public CmEvent next(String what) throws Exception {
    harness.await(what, this::hasNext);
    return taken.removeFirst();
  }

  /** The next event, which must be of that type. */
  public CmEvent await(RdmaCmEvent.EventType type) throws Exception {
    CmEvent event = next("the event " + type);
    if (event.type() != type) {
      throw new AssertionError(
          "got " + event.type() + " with status " + event.status() + " instead of " + type);
    }
    return event;
  }

  /** Returns whether an event has come. */
  public boolean hasNext() throws IOException {
    RdmaCmEvent event = channel.getCmEvent(0);
    if (event != null) {
      CmEvent copy = CmEvent.take(event);
      if (copy.type() != RDMA_CM_EVENT_TIMEWAIT_EXIT) {
        taken.add(copy);
      }
    }
    return !taken.isEmpty();
  }

  @Override
  public void close() throws IOException {
    channel.destroyEventChannel();
  }
}
