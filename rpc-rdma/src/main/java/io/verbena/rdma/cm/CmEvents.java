package io.verbena.rdma.cm;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.RdmaFailureText;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.util.IdentityHashMap;

/** The connection manager's events, and the ids that they belong to. */
final class CmEvents {
  private static final ThrottledLog UNDESTROYED =
      ThrottledLog.of(CmEvents.class, "connection ids that could not be destroyed");
  private static final EventType[] TYPES = EventType.values();

  private final RdmaEventChannel channel;
  private final IdentityHashMap<RdmaCmId, CmListener> listeners = new IdentityHashMap<>();

  CmEvents(VerbsProvider provider) throws IOException {
    channel = provider.createEventChannel();
  }

  RdmaEventChannel channel() {
    return channel;
  }

  /** Makes an id whose events go to a listener. */
  RdmaCmId createId(CmListener listener) throws IOException {
    RdmaCmId id = channel.createId(RdmaCm.RDMA_PS_TCP);
    listeners.put(id, listener);
    return id;
  }

  /** Sends the events of an id to another listener. */
  void hand(RdmaCmId id, CmListener listener) {
    listeners.put(id, listener);
  }

  /** Drops further events of an id, which is or will be destroyed. */
  void forget(RdmaCmId id) {
    listeners.remove(id);
  }

  /** Forgets and destroys an id that has no queue pair. */
  void destroy(RdmaCmId id) {
    forget(id);
    try {
      id.destroyId();
    } catch (Throwable e) {
      UNDESTROYED.warn("The connection id {} cannot be destroyed: {}", id, RdmaFailureText.of(e));
    }
  }

  /** Hands over all events; returns their number. */
  int poll() throws IOException {
    int events = 0;
    RdmaCmEvent event;
    while ((event = channel.getCmEvent(0)) != null) {
      dispatch(event);
      event.ackEvent();
      events++;
    }
    return events;
  }

  private void dispatch(RdmaCmEvent event) {
    EventType type = TYPES[event.getEvent()];
    boolean request = type == EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
    RdmaCmId id = request ? event.getListenIdPriv() : event.getConnIdPriv();
    CmListener listener = listeners.get(id);
    if (listener != null) {
      listener.onCmEvent(type, event);
    } else if (request) {
      destroy(event.getConnIdPriv());
    }
  }

  void close() throws IOException {
    channel.destroyEventChannel();
  }
}
