package io.verbena.verbs.disni;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.VerbsQp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;

/** DiSNI's stateful posting of receives, with a block of its own. */
final class PostRecvCall extends SVCPostRecv {
  private final VerbsQp qp;
  private final ReceiveBlock block;
  private boolean valid = true;

  PostRecvCall(VerbsQp qp, List<IbvRecvWR> requests) {
    this.qp = qp;
    List<List<IbvSge>> pieces =
        requests.stream()
            .map(one -> PostSendCall.pieces(one.getSg_list(), one.getNum_sge()))
            .toList();
    block = new ReceiveBlock(Arena.ofAuto(), requests.size(), PostSendCall.longest(pieces));
    for (int i = 0; i < requests.size(); i++) {
      IbvRecvWR request = requests.get(i);
      block.request(i, request.getWr_id());
      for (IbvSge sge : pieces.get(i)) {
        block.sge(i, sge.getAddr(), sge.getLength(), sge.getLkey());
      }
    }
  }

  @Override
  public RecvWRMod getWrMod(int index) {
    return () -> block.wrId(index);
  }

  @Override
  public SVCPostRecv execute() throws IOException {
    int posted = qp.postReceive(block, 0, block.capacity());
    if (posted < block.capacity()) {
      throw PostSendCall.full("ibv_post_recv", posted, block.capacity());
    }
    return this;
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  @Override
  public SVCPostRecv free() {
    valid = false;
    return this;
  }
}
