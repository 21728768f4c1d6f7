package io.verbena.verbs.disni;

import com.ibm.disni.verbs.SVCPostSend;
import io.verbena.verbs.ext.SendBlock;

/** DiSNI's view of one piece of a request of a send block. */
record PostedSge(SendBlock block, int index, int sge) implements SVCPostSend.SgeMod {
  PostedSge {
    if (sge < 0 || sge >= block.sgeCount(index)) {
      throw new IndexOutOfBoundsException(
          "Request " + index + " has " + block.sgeCount(index) + " SGEs, none at " + sge);
    }
  }

  @Override
  public void setAddr(long address) {
    block.putSge(index, sge, address, getLength(), getLkey());
  }

  @Override
  public long getAddr() {
    return block.sgeAddress(index, sge);
  }

  @Override
  public void setLength(int length) {
    block.putSge(index, sge, getAddr(), length, getLkey());
  }

  @Override
  public int getLength() {
    return block.sgeLength(index, sge);
  }

  @Override
  public void setLkey(int lkey) {
    block.putSge(index, sge, getAddr(), getLength(), lkey);
  }

  @Override
  public int getLkey() {
    return block.sgeLkey(index, sge);
  }
}
