package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaConnParam;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An event of a connection. */
final class FabricCmEvent extends RdmaCmEvent {
  private final FabricCmId id;
  private final Runnable whenTaken;
  private boolean acknowledged;

  /**
   * Makes an event for a channel.
   *
   * @param status 0, a negative errno, or the reason of a reject, as in rdma_cm
   * @param parameters private data and terms, if the event carries any
   * @param whenTaken runs under the lock when the program takes the event from its channel. At that
   *     time librdmacm does its part of connecting
   */
  @SuppressWarnings("EnumOrdinal") // DiSNI's own code for an event is the ordinal
  FabricCmEvent(
      EventType type,
      int status,
      @Nullable FabricCmId listener,
      FabricCmId id,
      @Nullable RdmaConnParam parameters,
      Runnable whenTaken)
      throws IOException {
    super(type.ordinal(), listener, id);
    this.id = id;
    this.status = status;
    this.whenTaken = whenTaken;
    if (parameters != null) {
      conn = parameters;
    }
  }

  @Override
  public void ackEvent() throws VerbsException {
    synchronized (id.fabric().lock) {
      if (acknowledged) {
        throw VerbsException.closed("rdma_ack_cm_event", "The event");
      }
      acknowledged = true;
      conn = new RdmaConnParam();
    }
  }

  // Called under the fabric's lock:

  FabricCmId id() {
    return id;
  }

  boolean isRequestTo(FabricCmId listener) {
    return listenIdPriv == listener;
  }

  void taken() {
    whenTaken.run();
  }
}
