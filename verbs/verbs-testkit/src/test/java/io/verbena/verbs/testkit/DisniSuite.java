package io.verbena.verbs.testkit;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_RESOLVED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostSend;
import io.verbena.verbs.disni.DisniBridge;
import io.verbena.verbs.disni.SendRequestMod;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.WcOpcode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same by nothing but DiSNI's own types and stateful calls, as existing programs use them. */
public abstract class DisniSuite extends VerbsSuite {
  @SuppressWarnings({"JdkObsolete", "NonApiType"}) // what DiSNI's requests take
  private static LinkedList<IbvSge> sges(IbvMr mr, int length) {
    IbvSge sge = new IbvSge();
    sge.setAddr(mr.getAddr());
    sge.setLength(length);
    sge.setLkey(mr.getLkey());
    return new LinkedList<>(List.of(sge));
  }

  private static IbvMr register(Side side, ByteBuffer buffer) throws Exception {
    int access = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE;
    IbvMr mr = side.pd.regMr(buffer, access).execute().free().getMr();
    assertThat(mr.getLength()).isEqualTo(buffer.capacity());
    assertThat(VerbsMr.of(mr).length()).isEqualTo(buffer.capacity());
    return mr;
  }

  private static void receive(Side side, long wrId, IbvMr mr) throws Exception {
    IbvRecvWR request = new IbvRecvWR();
    request.setWr_id(wrId);
    request.setSg_list(sges(mr, mr.getLength()));
    request.setNum_sge(1);
    side.qp.postRecv(List.of(request), null).execute().free();
  }

  private static IbvSendWR send(long wrId, IbvMr mr, int length) {
    IbvSendWR request = new IbvSendWR();
    request.setWr_id(wrId);
    request.setOpcode(IbvSendWR.IBV_WR_SEND);
    request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
    request.setSg_list(sges(mr, length));
    request.setNum_sge(1);
    return request;
  }

  private IbvWC poll(SVCPollCq call, IbvWC[] completions) throws Exception {
    harness.await("a completion", () -> call.execute().getPolls() == 1);
    return completions[0];
  }

  @Test
  void sendsByStatefulCallsThatCanBeExecutedAgain() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      ByteBuffer from = ByteBuffer.allocateDirect(64);
      ByteBuffer to = ByteBuffer.allocateDirect(64);
      IbvMr fromMr = register(pair.active, from);
      IbvMr toMr = register(pair.passive, to);
      IbvWC[] completions = {new IbvWC()};
      SVCPollCq received = pair.passive.receiveCq.poll(completions, 1);
      IbvWC[] sendCompletions = {new IbvWC()};
      SVCPollCq sent = pair.active.sendCq.poll(sendCompletions, 1);
      SVCPostSend post = pair.active.qp.postSend(List.of(send(9, fromMr, 16)), null);
      for (int i = 0; i < 3; i++) {
        receive(pair.passive, 70 + i, toMr);
        from.putInt(0, 1000 + i);
        post.execute();
        assertThat(poll(received, completions).getWr_id()).isEqualTo(70 + i);
        assertThat(completions[0].getByte_len()).isEqualTo(16);
        assertThat(completions[0].getQp_num()).isEqualTo(pair.passive.qpNumber());
        assertThat(to.getInt(0)).isEqualTo(1000 + i);
        assertThat(poll(sent, sendCompletions).getWr_id()).isEqualTo(9);
      }
      assertThat(post.isValid()).isTrue();
      assertThat(post.free().isValid()).isFalse();
      fromMr.deregMr().execute().free();
      toMr.deregMr().execute().free();
    }
  }

  @Test
  void changesOpcodeAndImmediateOfAPostedCall() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      ByteBuffer from = ByteBuffer.allocateDirect(8).putLong(0, 42);
      ByteBuffer to = ByteBuffer.allocateDirect(8);
      IbvMr fromMr = register(pair.active, from);
      IbvMr toMr = register(pair.passive, to);
      receive(pair.passive, 1, toMr);
      SVCPostSend post = pair.active.qp.postSend(List.of(send(2, fromMr, 8)), null);
      SendRequestMod request = (SendRequestMod) post.getWrMod(0);
      request.setOpcode(SendOpcode.RDMA_WRITE_WITH_IMM);
      request.setImm_data(0x1234);
      request.setSend_flags(SendFlags.SIGNALED);
      request.getRdmaMod().setRemote_addr(toMr.getAddr());
      request.getRdmaMod().setRkey(toMr.getRkey());
      post.execute();
      IbvWC[] completions = {new IbvWC()};
      IbvWC received = poll(pair.passive.receiveCq.poll(completions, 1), completions);
      assertThat(received.getOpcode()).isEqualTo(WcOpcode.RECV_RDMA_WITH_IMM);
      assertThat(received.getImm_data()).isEqualTo(0x1234);
      assertThat(to.getLong(0)).isEqualTo(42);
      fromMr.deregMr().execute();
      toMr.deregMr().execute();
    }
  }

  @Test
  void theBytesOfAnImmediateTravelAsTheyAreInMemory() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      IbvMr mr = register(pair.active, ByteBuffer.allocateDirect(8));
      pair.passive.receive(1, pair.passive.buffer(8));
      IbvSendWR request = send(2, mr, 8);
      request.setOpcode(IbvSendWR.IBV_WR_SEND_WITH_IMM);
      request.setImm_data(0x01020304);
      pair.active.qp.postSend(List.of(request), null).execute().free();
      int inNetworkOrder =
          ByteBuffer.allocate(4)
              .order(ByteOrder.nativeOrder())
              .putInt(0x01020304)
              .order(ByteOrder.BIG_ENDIAN)
              .getInt(0);
      assertThat(pair.passive.awaitReceived().immediate()).isEqualTo(inNetworkOrder);
      mr.deregMr().execute();
    }
  }

  @Test
  void aReceiveWithoutAListTakesAMessageWithoutBytes() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      IbvRecvWR receive = new IbvRecvWR();
      receive.setWr_id(6);
      pair.passive.qp.postRecv(List.of(receive), null).execute().free();
      IbvSendWR empty = new IbvSendWR();
      empty.setWr_id(7);
      empty.setOpcode(IbvSendWR.IBV_WR_SEND);
      empty.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
      pair.active.qp.postSend(List.of(empty), null).execute().free();
      Wc received = pair.passive.awaitReceived();
      assertThat(received.wrId()).isEqualTo(6);
      assertThat(received.byteLength()).isZero();
    }
  }

  @Test
  void asManyPiecesOfAListAreSentAsTheRequestSays() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      IbvMr mr = register(pair.active, ByteBuffer.allocateDirect(8));
      pair.passive.receive(1, pair.passive.buffer(64));
      IbvSendWR request = send(2, mr, 8);
      request.getSg_list().addAll(sges(mr, 8));
      request.setNum_sge(1);
      pair.active.qp.postSend(List.of(request), null).execute().free();
      assertThat(pair.passive.awaitReceived().byteLength()).isEqualTo(8);
      mr.deregMr().execute();
    }
  }

  @Test
  void aQueuePairThatAskedForNoPiecesTakesAsManyAsLibdisniGives() throws Exception {
    Setup modest = new Setup();
    modest.maxSges = 1;
    try (Pair pair = Pair.connect(harness, modest, new Setup())) {
      assertThat(pair.active.attributes.cap().getMax_send_sge()).isGreaterThanOrEqualTo(4);
      IbvMr mr = register(pair.active, ByteBuffer.allocateDirect(8));
      pair.passive.receive(1, pair.passive.buffer(64));
      IbvSendWR request = send(2, mr, 8);
      for (int i = 1; i < 4; i++) {
        request.getSg_list().addAll(sges(mr, 8));
      }
      request.setNum_sge(4);
      pair.active.qp.postSend(List.of(request), null).execute().free();
      assertThat(pair.passive.awaitReceived().byteLength()).isEqualTo(32);
      mr.deregMr().execute();
    }
  }

  @Test
  void aQueuePairTellsItsState() throws Exception {
    Pair pair = Pair.connect(harness);
    try (pair) {
      assertThat(pair.active.qp.getState()).isEqualTo(IbvQP.IBV_QPS_RTS);
      pair.active.verbs().modify(QpChange.toError());
      assertThat(pair.active.qp.getState()).isEqualTo(IbvQP.IBV_QPS_ERR);
    }
    assertThat(pair.active.qp.getState()).as("destroyed").isEqualTo(IbvQP.IBV_QPS_ERR);
  }

  @Test
  void anIdNamesItsDeviceAfterItWasDestroyedToo() throws Exception {
    Pair pair = Pair.connect(harness);
    IbvContext device = pair.active.id.getVerbs();
    pair.close();
    assertThat(pair.active.id.getVerbs()).as("DiSNI's endpoints ask then").isSameAs(device);
  }

  @Test
  void whatIsNoReliableConnectionIsRefused() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      RdmaCmId listener = Pair.listen(pair.passiveEvents, harness.address());
      RdmaCmId id = Pair.resolve(pair.activeEvents, (InetSocketAddress) listener.getSource());
      for (byte type : new byte[] {IbvQP.IBV_QPT_UC, IbvQP.IBV_QPT_UD}) {
        IbvQPInitAttr other = new IbvQPInitAttr();
        other.setQp_type(type);
        other.setSend_cq(pair.active.sendCq);
        other.setRecv_cq(pair.active.receiveCq);
        other.cap().setMax_send_wr(1);
        other.cap().setMax_recv_wr(1);
        assertThatThrownBy(() -> id.createQP(pair.active.pd, other))
            .isInstanceOf(VerbsException.class)
            .hasMessageContaining("IBV_QPT_RC");
      }
      id.destroyId();
      listener.destroyId();
    }
    RdmaEventChannel channel = harness.active().createEventChannel();
    assertThatThrownBy(() -> channel.createId(RdmaCm.RDMA_PS_UDP))
        .isInstanceOf(VerbsException.class)
        .hasMessageContaining("RDMA_PS_TCP");
    channel.destroyEventChannel();
  }

  @Test
  void waitsForACompletionEventByDisnisCalls() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.passive.receiveCq.reqNotification(false).execute().free();
      pair.passive.receive(1, pair.passive.buffer(8));
      pair.active.request(2, SendOpcode.SEND, SendFlags.SIGNALED, pair.active.buffer(8));
      pair.active.post();
      harness.await("the event", () -> pair.passive.channel.getCqEvent(pair.passive.receiveCq, 0));
      pair.passive.receiveCq.ackEvents(1);
      assertThat(pair.passive.awaitReceived().wrId()).isEqualTo(1);
    }
  }

  @Test
  @SuppressWarnings("EnumOrdinal") // DiSNI's own code for an event is the ordinal
  void standsBehindDisnisStaticEntryPoints() throws Exception {
    DisniBridge.install(harness.active());
    RdmaEventChannel channel = RdmaEventChannel.createEventChannel();
    RdmaCmId id = RdmaCm.open().createId(channel, RdmaCm.RDMA_PS_TCP);
    id.resolveAddr(null, new InetSocketAddress(harness.address(), 4711), 2_000);
    int[] type = new int[1];
    harness.await(
        "an event",
        () -> {
          var event = channel.getCmEvent(0);
          if (event == null) {
            return false;
          }
          type[0] = event.getEvent();
          event.ackEvent();
          return true;
        });
    assertThat(type[0]).isEqualTo(RDMA_CM_EVENT_ADDR_RESOLVED.ordinal());
    assertThat(id.getVerbs().isOpen()).isTrue();
    id.destroyId();
    channel.destroyEventChannel();
  }

  @Test
  void refusesAHeapBufferByName() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      assertThatThrownBy(() -> pair.active.pd.regMr(ByteBuffer.allocate(8), Access.LOCAL_WRITE))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("direct");
    }
  }
}
