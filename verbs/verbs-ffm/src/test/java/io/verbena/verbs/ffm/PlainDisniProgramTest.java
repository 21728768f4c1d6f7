package io.verbena.verbs.ffm;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_RESOLVED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DISCONNECTED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ESTABLISHED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ROUTE_RESOLVED;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCReqNotify;
import io.verbena.verbs.disni.DisniBridge;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A program for DiSNI's interface alone, on a real device. */
@Tag("lab")
@SuppressWarnings({"JdkObsolete", "EnumOrdinal"}) // DiSNI's signatures are so
class PlainDisniProgramTest {
  private static final int TIME_LIMIT_MILLIS = 5_000;
  private static final int PORT = 18_515;
  private static final int BYTES = 1 << 20;

  /** One end of the connection, with everything that it stands on. */
  private static final class End {
    final RdmaCmId id;
    final IbvPd pd;
    final IbvCompChannel events;
    final IbvCQ cq;
    final IbvQP qp;
    final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
    final IbvMr mr;
    final IbvWC[] completions = {new IbvWC()};
    final SVCPollCq poll;
    final SVCReqNotify arm;

    End(RdmaCmId id) throws Exception {
      this.id = id;
      pd = id.getVerbs().allocPd();
      events = id.getVerbs().createCompChannel();
      cq = id.getVerbs().createCQ(events, 16, 0);
      IbvQPInitAttr attr = new IbvQPInitAttr();
      attr.cap().setMax_send_wr(8);
      attr.cap().setMax_recv_wr(8);
      attr.setQp_type(IbvQP.IBV_QPT_RC);
      attr.setSend_cq(cq);
      attr.setRecv_cq(cq);
      qp = id.createQP(pd, attr);
      int access =
          IbvMr.IBV_ACCESS_LOCAL_WRITE
              | IbvMr.IBV_ACCESS_REMOTE_WRITE
              | IbvMr.IBV_ACCESS_REMOTE_READ;
      mr = pd.regMr(memory, access).execute().free().getMr();
      poll = cq.poll(completions, 1);
      arm = cq.reqNotification(false);
    }

    IbvSge piece(int length) {
      IbvSge sge = new IbvSge();
      sge.setAddr(MemorySegment.ofBuffer(memory.duplicate().clear()).address());
      sge.setLength(length);
      sge.setLkey(mr.getLkey());
      return sge;
    }

    void receive(long wrId) throws Exception {
      IbvRecvWR request = new IbvRecvWR();
      request.setWr_id(wrId);
      request.setSg_list(new LinkedList<>(List.of(piece(BYTES))));
      qp.postRecv(List.of(request), null).execute().free();
    }

    void send(IbvSendWR request, int length) throws Exception {
      request.setSg_list(new LinkedList<>(List.of(piece(length))));
      request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
      qp.postSend(List.of(request), null).execute().free();
    }

    IbvWC await() throws Exception {
      arm.execute();
      while (poll.execute().getPolls() == 0) {
        assertThat(events.getCqEvent(cq, TIME_LIMIT_MILLIS)).isTrue();
        cq.ackEvents(1);
        arm.execute();
      }
      return completions[0];
    }

    void close() throws Exception {
      poll.free();
      id.destroyQP();
      mr.deregMr().execute().free();
      cq.destroyCQ();
      events.destroyCompChannel();
      pd.deallocPd();
      id.destroyId();
    }
  }

  private static RdmaCmEvent expect(RdmaEventChannel channel, RdmaCmEvent.EventType type)
      throws Exception {
    RdmaCmEvent event = channel.getCmEvent(TIME_LIMIT_MILLIS);
    assertThat(event).isNotNull();
    assertThat(RdmaCmEvent.EventType.values()[event.getEvent()]).isEqualTo(type);
    event.ackEvent();
    return event;
  }

  @Test
  void connectsSendsWritesAndDisconnects() throws Exception {
    assertThat(DisniBridge.install()).isEmpty();
    RdmaEventChannel serverEvents = RdmaEventChannel.createEventChannel();
    RdmaEventChannel clientEvents = RdmaEventChannel.createEventChannel();
    RdmaCmId listener = serverEvents.createId(RdmaCm.RDMA_PS_TCP);
    listener.bindAddr(LabDevice.ipv4(PORT));
    listener.listen(8);
    RdmaCmId id = clientEvents.createId(RdmaCm.RDMA_PS_TCP);
    id.resolveAddr(null, LabDevice.ipv4(PORT), 2_000);
    expect(clientEvents, RDMA_CM_EVENT_ADDR_RESOLVED);
    id.resolveRoute(2_000);
    expect(clientEvents, RDMA_CM_EVENT_ROUTE_RESOLVED);
    End client = new End(id);
    client.receive(1);
    RdmaConnParam parameters = new RdmaConnParam();
    parameters.setRetry_count((byte) 7);
    parameters.setRnr_retry_count((byte) 7);
    id.connect(parameters);
    End server = new End(expect(serverEvents, RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
    server.receive(2);
    server.receive(3);
    server.id.accept(parameters);
    expect(clientEvents, RDMA_CM_EVENT_ESTABLISHED);
    expect(serverEvents, RDMA_CM_EVENT_ESTABLISHED);

    sends(client, server);
    writesWithImmediate(client, server);

    id.disconnect();
    expect(serverEvents, RDMA_CM_EVENT_DISCONNECTED);
    server.id.disconnect();
    expect(clientEvents, RDMA_CM_EVENT_DISCONNECTED);
    client.close();
    server.close();
    listener.destroyId();
    clientEvents.destroyEventChannel();
    serverEvents.destroyEventChannel();
  }

  private static void sends(End client, End server) throws Exception {
    byte[] text = "Verbs from Java".getBytes(StandardCharsets.UTF_8);
    client.memory.put(0, text);
    IbvSendWR request = new IbvSendWR();
    request.setWr_id(10);
    request.setOpcode(IbvSendWR.IBV_WR_SEND);
    client.send(request, text.length);

    IbvWC received = server.await();
    assertThat(received.getStatus()).isZero();
    assertThat(received.getWr_id()).isEqualTo(2);
    assertThat(received.getByte_len()).isEqualTo(text.length);
    byte[] arrived = new byte[text.length];
    server.memory.get(0, arrived);
    assertThat(arrived).isEqualTo(text);
    assertThat(client.await().getWr_id()).isEqualTo(10);
  }

  private static void writesWithImmediate(End client, End server) throws Exception {
    for (int i = 0; i < BYTES; i += Integer.BYTES) {
      client.memory.putInt(i, i * 31);
    }
    IbvSendWR request = new IbvSendWR();
    request.setWr_id(11);
    request.setOpcode(IbvSendWR.IBV_WR_RDMA_WRITE_WITH_IMM);
    request.setImm_data(0x01020304);
    request.getRdma().setRemote_addr(server.mr.getAddr());
    request.getRdma().setRkey(server.mr.getRkey());
    client.send(request, BYTES);

    IbvWC received = server.await();
    assertThat(received.getStatus()).isZero();
    assertThat(received.getWr_id()).isEqualTo(3);
    assertThat(received.getOpcode())
        .isEqualTo(IbvWC.IbvWcOpcode.IBV_WC_RECV_RDMA_WITH_IMM.getOpcode());
    assertThat(received.getImm_data()).isEqualTo(0x01020304);
    assertThat(received.getByte_len()).isEqualTo(BYTES);
    assertThat(server.memory.duplicate().clear()).isEqualTo(client.memory.duplicate().clear());
    assertThat(client.await().getWr_id()).isEqualTo(11);
  }
}
