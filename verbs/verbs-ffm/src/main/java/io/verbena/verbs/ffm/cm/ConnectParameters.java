package io.verbena.verbs.ffm.cm;

import static io.verbena.verbs.ffm.abi.CmLayouts.CONN_PARAM;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.RdmaConnParam;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.device.FfmContext;
import io.verbena.verbs.ffm.lib.Pointers;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Writes the parameters of connect and accept for C. */
final class ConnectParameters {
  private static final int MAX_BYTE = 255;

  private ConnectParameters() {}

  static MemorySegment write(Arena arena, RdmaConnParam parameters, @Nullable FfmContext device)
      throws IOException {
    MemorySegment out = Pointers.room(arena, CONN_PARAM);
    int length = parameters.getPrivate_data_len() & 0xff;
    long data = length == 0 ? 0 : parameters.getPrivate_data();
    out.set(ADDRESS, CONN_PARAM.offset("private_data"), MemorySegment.ofAddress(data));
    u8(out, "private_data_len", length);
    u8(out, "flow_control", parameters.getFlow_control());
    u8(out, "retry_count", parameters.getRetry_count());
    u8(out, "rnr_retry_count", parameters.getRnr_retry_count());
    u8(out, "srq", parameters.getSrq());
    out.set(JAVA_INT, CONN_PARAM.offset("qp_num"), parameters.getQp_num());
    writeDepths(out, parameters, device);
    return out;
  }

  /** DiSNI's own class cannot set the depths. It gets the limits of the device, as in libdisni. */
  private static void writeDepths(
      MemorySegment out, RdmaConnParam parameters, @Nullable FfmContext device) throws IOException {
    if (parameters instanceof ConnectionParameters || device == null) {
      u8(out, "responder_resources", parameters.getResponder_resources());
      u8(out, "initiator_depth", parameters.getInitiator_depth());
      return;
    }
    DeviceAttributes limits = device.queryDevice();
    u8(out, "responder_resources", Math.min(MAX_BYTE, limits.maxReadAtomic()));
    u8(out, "initiator_depth", Math.min(MAX_BYTE, limits.maxInitiatorReadAtomic()));
  }

  /** Returns a copy of the private data of a rejection. */
  static MemorySegment rejection(Arena arena, ByteBuffer data) throws IOException {
    if (data.remaining() > ConnectionParameters.MAX_REJECT_DATA) {
      throw new VerbsException(
          "rdma_reject",
          Errno.EINVAL,
          "Private data of "
              + data.remaining()
              + " bytes; a rejection carries at most "
              + ConnectionParameters.MAX_REJECT_DATA
              + ".");
    }
    MemorySegment copy = arena.allocate(data.remaining(), 1);
    return copy.copyFrom(MemorySegment.ofBuffer(data));
  }

  private static void u8(MemorySegment out, String member, int value) {
    out.set(JAVA_BYTE, CONN_PARAM.offset(member), (byte) value);
  }
}
