package io.verbena.verbs.disni;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.SVCPostSend;
import io.verbena.verbs.ext.Layouts;
import io.verbena.verbs.ext.SendBlock;
import java.lang.foreign.MemorySegment;

/** DiSNI's view of one request of a send block. */
record PostedRequest(SendBlock block, int index) implements SendRequestMod, SVCPostSend.RdmaMod {
  private MemorySegment memory() {
    return block.memory(index);
  }

  @Override
  public void setWr_id(long wrId) {
    memory().set(JAVA_LONG, Layouts.WR_ID, wrId);
  }

  @Override
  public long getWr_id() {
    return block.wrId(index);
  }

  @Override
  public void setOpcode(int opcode) {
    block.opcode(index, opcode);
  }

  @Override
  public int getOpcode() {
    return memory().get(JAVA_INT, Layouts.SEND_WR_OPCODE);
  }

  @Override
  public void setSend_flags(int flags) {
    block.flags(index, flags);
  }

  @Override
  public int getSend_flags() {
    return memory().get(JAVA_INT, Layouts.SEND_WR_FLAGS);
  }

  @Override
  public void setImm_data(int immediate) {
    block.invalidate(index, immediate);
  }

  @Override
  public int getNum_sge() {
    return block.sgeCount(index);
  }

  @Override
  public SVCPostSend.RdmaMod getRdmaMod() {
    return this;
  }

  @Override
  public void setRemote_addr(long address) {
    memory().set(JAVA_LONG, Layouts.SEND_WR_REMOTE_ADDRESS, address);
  }

  @Override
  public long getRemote_addr() {
    return memory().get(JAVA_LONG, Layouts.SEND_WR_REMOTE_ADDRESS);
  }

  @Override
  public void setRkey(int rkey) {
    memory().set(JAVA_INT, Layouts.SEND_WR_RDMA_RKEY, rkey);
  }

  @Override
  public int getRkey() {
    return memory().get(JAVA_INT, Layouts.SEND_WR_RDMA_RKEY);
  }

  /** Padding that DiSNI exposes; devices ignore it. */
  @Override
  public void setReserved(int reserved) {
    memory().set(JAVA_INT, Layouts.SEND_WR_RDMA_RKEY + Integer.BYTES, reserved);
  }

  @Override
  public int getReserved() {
    return memory().get(JAVA_INT, Layouts.SEND_WR_RDMA_RKEY + Integer.BYTES);
  }

  @Override
  public SVCPostSend.SgeMod getSgeMod(int sge) {
    return new PostedSge(block, index, sge);
  }
}
