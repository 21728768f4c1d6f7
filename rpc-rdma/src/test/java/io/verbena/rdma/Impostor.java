package io.verbena.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.fabric.FabricHost;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Accepts every connection at its address, with a greeting that the test gives. */
final class Impostor {
  private static final EventType[] TYPES = EventType.values();

  private final RdmaEventChannel channel;
  private final InetSocketAddress address;
  private final ByteBuffer greeting;
  private int accepted;

  Impostor(FabricHost host, ByteBuffer greeting) throws IOException {
    this.greeting = greeting;
    channel = host.createEventChannel();
    RdmaCmId listener = channel.createId(RdmaCm.RDMA_PS_TCP);
    listener.bindAddr(new InetSocketAddress(host.addresses().getFirst(), 0));
    listener.listen(8);
    address = (InetSocketAddress) listener.getSource();
  }

  InetSocketAddress address() {
    return address;
  }

  int accepted() {
    return accepted;
  }

  void step() {
    try {
      RdmaCmEvent event = channel.getCmEvent(0);
      if (event == null) {
        return;
      }
      if (TYPES[event.getEvent()] == EventType.RDMA_CM_EVENT_CONNECT_REQUEST) {
        accept(event.getConnIdPriv());
      }
      event.ackEvent();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void accept(RdmaCmId id) throws IOException {
    IbvPd domain = id.getVerbs().allocPd();
    IbvCQ cq = id.getVerbs().createCQ(null, 64, 0);
    IbvQPInitAttr attributes = new IbvQPInitAttr();
    attributes.setQp_type(IbvQP.IBV_QPT_RC);
    attributes.setSend_cq(cq);
    attributes.setRecv_cq(cq);
    id.createQP(domain, attributes);
    id.accept(new ConnectionParameters().privateData(greeting));
    accepted++;
  }
}
