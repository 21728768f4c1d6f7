package io.verbena.verbs.testkit;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.verbs.ext.ConnectionParameters;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A connection event, copied and acknowledged. */
public record CmEvent(
    RdmaCmEvent.EventType type,
    int status,
    RdmaCmId id,
    ByteBuffer privateData,
    int responderResources,
    int initiatorDepth) {

  @SuppressWarnings("EnumOrdinal") // DiSNI's own code for an event is the ordinal
  public static CmEvent take(RdmaCmEvent event) throws IOException {
    CmEvent copy =
        new CmEvent(
            RdmaCmEvent.EventType.values()[event.getEvent()],
            event.getStatus(),
            event.getConnIdPriv(),
            ConnectionParameters.privateData(event),
            event.getConn().getResponder_resources() & 0xff,
            event.getConn().getInitiator_depth() & 0xff);
    event.ackEvent();
    return copy;
  }
}
