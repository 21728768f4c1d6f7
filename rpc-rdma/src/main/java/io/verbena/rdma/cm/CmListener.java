package io.verbena.rdma.cm;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;

/** Whom a connection id's events are for. */
interface CmListener {
  /**
   * Something happened to the connection. The event is valid until this returns.
   *
   * @param type what
   */
  void onCmEvent(EventType type, RdmaCmEvent event);
}
