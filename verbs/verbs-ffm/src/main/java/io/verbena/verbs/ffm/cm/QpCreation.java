package io.verbena.verbs.ffm.cm;

import static io.verbena.verbs.ffm.abi.CmLayouts.CM_ID;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.QP;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.QP_INIT_ATTR;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQPCap;
import com.ibm.disni.verbs.IbvQPInitAttr;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.QpRequest;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.cq.FfmCq;
import io.verbena.verbs.ffm.device.AbiCheck;
import io.verbena.verbs.ffm.device.FfmContext;
import io.verbena.verbs.ffm.device.FfmPd;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.lib.Rdmacm;
import io.verbena.verbs.ffm.life.Foundations;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.qp.FfmQp;
import io.verbena.verbs.ffm.qp.FfmSrq;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the queue pair of a connection id. */
final class QpCreation {
  private static final String CALL = "rdma_create_qp";

  private QpCreation() {}

  static FfmQp create(FfmCmId id, IbvPd ibvPd, IbvQPInitAttr attr) throws IOException {
    int type = QpRequest.type(attr);
    FfmPd pd = (FfmPd) ibvPd;
    FfmCq sendCq = queue(attr.getSend_cq());
    FfmCq receiveCq = queue(attr.getRecv_cq());
    FfmSrq srq = sharedQueue(pd, attr.getSrq());
    Foundations foundations = foundations(id, pd, sendCq, receiveCq, srq);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment init = write(arena, attr, type, sendCq, receiveCq, srq);
      writePieces(init, attr.cap(), pd.device().queryDevice().maxSges());
      id.channel().exclusively(() -> Rdmacm.CREATE_QP.zero(id.pointer(), pd.pointer(), init));
      readBack(init, attr.cap());
      MemorySegment qp = Pointers.struct(Pointers.pointer(id.pointer(), CM_ID, "qp"), QP);
      AbiCheck.expect(
          Pointers.pointer(qp, QP, "send_cq").equals(sendCq.pointer()), "ibv_qp.send_cq");
      return new FfmQp(pd, attr, qp, foundations, () -> destroy(id, qp, pd.device()));
    } catch (IOException | RuntimeException failed) {
      foundations.release();
      throw failed;
    }
  }

  /**
   * Destroys the queue pair as {@code rdma_destroy_qp} does, and also reports a failure. After a
   * failure the device keeps the queue pair, whose memory must then not be used again. A device
   * that is gone keeps no queue pair.
   */
  private static void destroy(FfmCmId id, MemorySegment qp, FfmContext device) throws IOException {
    id.channel()
        .exclusively(
            () -> {
              device.free(() -> Ibverbs.DESTROY_QP.zero(qp));
              id.pointer().set(ADDRESS, CM_ID.offset("qp"), MemorySegment.NULL);
            });
  }

  private static Foundations foundations(
      FfmCmId id, FfmPd pd, FfmCq sendCq, FfmCq receiveCq, @Nullable FfmSrq srq)
      throws IOException {
    List<Lifetime> objects =
        new ArrayList<>(List.of(id.life(), pd.life(), sendCq.life(), receiveCq.life()));
    if (srq != null) {
      objects.add(srq.life());
    }
    return Foundations.of(CALL, objects);
  }

  private static FfmCq queue(@Nullable IbvCQ cq) throws IOException {
    if (cq instanceof FfmCq queue) {
      return queue;
    }
    throw new VerbsException(
        CALL, Errno.EINVAL, "A queue pair needs a send CQ and a receive CQ of its own device.");
  }

  private static @Nullable FfmSrq sharedQueue(FfmPd pd, long token) throws IOException {
    if (token == 0) {
      return null;
    }
    FfmSrq srq = pd.device().live().find(token, FfmSrq.class);
    if (srq == null) {
      throw new VerbsException(
          CALL,
          Errno.EINVAL,
          "The device has no shared receive queue with the handle " + token + ".");
    }
    return srq;
  }

  private static MemorySegment write(
      Arena arena,
      IbvQPInitAttr attr,
      int type,
      FfmCq sendCq,
      FfmCq receiveCq,
      @Nullable FfmSrq srq) {
    MemorySegment out = Pointers.room(arena, QP_INIT_ATTR);
    pointer(out, "send_cq", sendCq.pointer());
    pointer(out, "recv_cq", receiveCq.pointer());
    pointer(out, "srq", srq == null ? MemorySegment.NULL : srq.pointer());
    IbvQPCap cap = attr.cap();
    u32(out, "cap.max_send_wr", cap.getMax_send_wr());
    u32(out, "cap.max_recv_wr", cap.getMax_recv_wr());
    u32(out, "cap.max_inline_data", cap.getMax_inline_data());
    u32(out, "qp_type", type);
    u32(out, "sq_sig_all", attr.getSq_sig_all());
    return out;
  }

  private static void writePieces(MemorySegment out, IbvQPCap cap, int most) {
    u32(out, "cap.max_send_sge", QpRequest.pieces(cap.getMax_send_sge(), most));
    u32(out, "cap.max_recv_sge", QpRequest.pieces(cap.getMax_recv_sge(), most));
  }

  private static void readBack(MemorySegment init, IbvQPCap cap) {
    cap.setMax_send_wr(Pointers.u32(init, QP_INIT_ATTR, "cap.max_send_wr"));
    cap.setMax_recv_wr(Pointers.u32(init, QP_INIT_ATTR, "cap.max_recv_wr"));
    cap.setMax_send_sge(Pointers.u32(init, QP_INIT_ATTR, "cap.max_send_sge"));
    cap.setMax_recv_sge(Pointers.u32(init, QP_INIT_ATTR, "cap.max_recv_sge"));
    cap.setMax_inline_data(Pointers.u32(init, QP_INIT_ATTR, "cap.max_inline_data"));
  }

  private static void pointer(MemorySegment out, String member, MemorySegment value) {
    out.set(ADDRESS, QP_INIT_ATTR.offset(member), value);
  }

  private static void u32(MemorySegment out, String member, int value) {
    out.set(JAVA_INT, QP_INIT_ATTR.offset(member), value);
  }
}
