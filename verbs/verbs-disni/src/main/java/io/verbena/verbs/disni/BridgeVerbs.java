package io.verbena.verbs.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ext.VerbsQp;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Forwards RdmaVerbs' calls to the objects, and implements DiSNI's stateful calls with the
 * extensions.
 */
final class BridgeVerbs extends RdmaVerbs {
  @Override
  public IbvPd allocPd(IbvContext context) throws IOException {
    return context.allocPd();
  }

  @Override
  public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
    return context.createCompChannel();
  }

  @Override
  public IbvCQ createCQ(IbvContext context, IbvCompChannel channel, int entries, int vector)
      throws IOException {
    return context.createCQ(channel, entries, vector);
  }

  @Override
  public boolean getCqEvent(IbvCompChannel channel, IbvCQ cq, int millis) throws IOException {
    return channel.getCqEvent(cq, millis);
  }

  @Override
  public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) throws IOException {
    if (!buffer.isDirect()) {
      throw new VerbsException(
          "ibv_reg_mr", Errno.EFAULT, "the buffer is on the heap. Use a direct one.");
    }
    MemorySegment whole = MemorySegment.ofBuffer(buffer.duplicate().clear());
    return regMr(pd, whole.address(), buffer.capacity(), access);
  }

  @Override
  public SVCRegMr regMr(IbvPd pd, long address, int length, int access) throws IOException {
    return new RegMrCall(VerbsPd.of(pd), address, length, access);
  }

  @Override
  public int queryOdpSupport(IbvContext context) throws IOException {
    return context.queryOdpSupport();
  }

  @Override
  public int expPrefetchMr(IbvMr mr, long address, int length) throws IOException {
    return mr.expPrefetchMr(address, length);
  }

  @Override
  public SVCDeregMr deregMr(IbvMr mr) {
    return new DeregMrCall(VerbsMr.of(mr));
  }

  @Override
  public SVCPostSend postSend(IbvQP qp, List<IbvSendWR> requests, List<IbvSendWR> bad)
      throws IOException {
    return new PostSendCall(VerbsQp.of(qp), requests);
  }

  @Override
  public SVCPostRecv postRecv(IbvQP qp, List<IbvRecvWR> requests, List<IbvRecvWR> bad)
      throws IOException {
    return new PostRecvCall(VerbsQp.of(qp), requests);
  }

  @Override
  public SVCPollCq pollCQ(IbvCQ cq, IbvWC[] completions, int max) {
    return new PollCqCall(VerbsCq.of(cq), completions, max);
  }

  @Override
  public SVCReqNotify reqNotifyCQ(IbvCQ cq, boolean solicitedOnly) {
    return new ReqNotifyCall(VerbsCq.of(cq), solicitedOnly);
  }

  @Override
  public int ackCqEvents(IbvCQ cq, int count) throws IOException {
    return cq.ackEvents(count);
  }

  @Override
  public int destroyCompChannel(IbvCompChannel channel) throws IOException {
    return channel.destroyCompChannel();
  }

  @Override
  public int deallocPd(IbvPd pd) throws IOException {
    try {
      return pd.deallocPd();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) { // the only exception type that DiSNI declares
      throw new IOException(e);
    }
  }

  @Override
  public int destroyCQ(IbvCQ cq) throws IOException {
    return cq.destroyCQ();
  }
}
