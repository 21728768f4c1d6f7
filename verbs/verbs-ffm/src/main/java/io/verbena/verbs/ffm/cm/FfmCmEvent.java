package io.verbena.verbs.ffm.cm;

import static io.verbena.verbs.ffm.abi.CmLayouts.CM_EVENT;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.ibm.disni.verbs.RdmaCmEvent;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ffm.lib.Pointers;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a connection event, private data included. librdmacm's event is acknowledged right
 * after the copy, so that destroying an id never waits for the application.
 */
final class FfmCmEvent extends RdmaCmEvent {
  private static final EventType[] TYPES = EventType.values();

  @SuppressWarnings("EnumOrdinal") // the constants have the order of C
  private static final int CONNECT_REQUEST = EventType.RDMA_CM_EVENT_CONNECT_REQUEST.ordinal();

  @SuppressWarnings("EnumOrdinal")
  private static final int DEVICE_REMOVAL = EventType.RDMA_CM_EVENT_DEVICE_REMOVAL.ordinal();

  private FfmCmEvent(
      int type,
      int status,
      @Nullable FfmCmId listener,
      @Nullable FfmCmId id,
      ConnectionParameters parameters)
      throws IOException {
    super(type, listener, id);
    this.status = status;
    this.conn = parameters;
  }

  /** Copies an event, before it is acknowledged. The caller holds the channel's lock. */
  static FfmCmEvent copy(FfmEventChannel channel, MemorySegment pointer) throws IOException {
    MemorySegment event = Pointers.struct(pointer, CM_EVENT);
    int type = Pointers.u32(event, CM_EVENT, "event");
    MemorySegment about = Pointers.pointer(event, CM_EVENT, "id");
    FfmCmId id = type == CONNECT_REQUEST ? FfmCmId.requested(channel, about) : channel.id(about);
    if (id != null) {
      id.noteDevice(type == DEVICE_REMOVAL);
    }
    return new FfmCmEvent(
        type,
        Pointers.u32(event, CM_EVENT, "status"),
        channel.id(Pointers.pointer(event, CM_EVENT, "listen_id")),
        id,
        parameters(event));
  }

  private static ConnectionParameters parameters(MemorySegment event) {
    ConnectionParameters parameters = new ConnectionParameters();
    parameters.setResponder_resources(u8(event, "responder_resources"));
    parameters.setInitiator_depth(u8(event, "initiator_depth"));
    parameters.setFlow_control(u8(event, "flow_control"));
    parameters.setRetry_count(u8(event, "retry_count"));
    parameters.setRnr_retry_count(u8(event, "rnr_retry_count"));
    parameters.setSrq(u8(event, "srq"));
    parameters.setQp_num(Pointers.u32(event, CM_EVENT, "param.conn.qp_num"));
    MemorySegment data = Pointers.pointer(event, CM_EVENT, "param.conn.private_data");
    int length = u8(event, "private_data_len") & 0xff;
    if (data.address() != 0 && length > 0) {
      parameters.privateData(data.reinterpret(length).asByteBuffer());
    }
    return parameters;
  }

  private static byte u8(MemorySegment event, String member) {
    return event.get(JAVA_BYTE, CM_EVENT.offset("param.conn." + member));
  }

  /** Does nothing, because the event is already acknowledged. */
  @Override
  public void ackEvent() {}

  @Override
  public String toString() {
    String name = event >= 0 && event < TYPES.length ? TYPES[event].name() : "event " + event;
    return name + " with status " + status;
  }
}
