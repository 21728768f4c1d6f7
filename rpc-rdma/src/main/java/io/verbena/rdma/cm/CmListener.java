package io.verbena.rdma.cm;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;

/** Receives the events of a connection id. */
interface CmListener {
  /**
   * An event of the connection. It is valid until this method returns.
   *
   * @param type the event's type
   */
  void onCmEvent(EventType type, RdmaCmEvent event);
}
