package io.verbena.verbs.disni;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsQp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** DiSNI's stateful posting of sends, with a block of its own. */
final class PostSendCall extends SVCPostSend {
  private final VerbsQp qp;
  private final SendBlock block;
  private boolean valid = true;

  PostSendCall(VerbsQp qp, List<IbvSendWR> requests) {
    this.qp = qp;
    List<List<IbvSge>> pieces =
        requests.stream().map(one -> pieces(one.getSg_list(), one.getNum_sge())).toList();
    block = new SendBlock(Arena.ofAuto(), requests.size(), longest(pieces));
    for (int i = 0; i < requests.size(); i++) {
      fill(i, requests.get(i), pieces.get(i));
    }
  }

  /** Returns the pieces of a request: the given number from its list, or none if it has no list. */
  static List<IbvSge> pieces(@Nullable List<IbvSge> list, int count) {
    return list == null ? List.of() : list.subList(0, Math.clamp(count, 0, list.size()));
  }

  static int longest(List<List<IbvSge>> pieces) {
    return pieces.stream().mapToInt(List::size).max().orElse(0);
  }

  private void fill(int index, IbvSendWR request, List<IbvSge> pieces) {
    int opcode = request.getOpcode();
    block.request(index, request.getWr_id(), opcode, request.getSend_flags());
    for (IbvSge sge : pieces) {
      block.sge(index, sge.getAddr(), sge.getLength(), sge.getLkey());
    }
    // Its bytes in memory are those on the wire, like those of a key.
    block.invalidate(index, request.getImm_data());
    if (opcode == SendOpcode.ATOMIC_CMP_AND_SWP || opcode == SendOpcode.ATOMIC_FETCH_AND_ADD) {
      IbvSendWR.Atomic atomic = request.getAtomic();
      block.atomic(
          index,
          atomic.getRemote_addr(),
          atomic.getRkey(),
          atomic.getCompare_add(),
          atomic.getSwap());
    } else {
      block.remote(index, request.getRdma().getRemote_addr(), request.getRdma().getRkey());
    }
  }

  /** Returns the failure for a full queue, because DiSNI's calls have no result for it. */
  static VerbsException full(String call, int posted, int wanted) {
    return new VerbsException(
        call,
        Errno.ENOMEM,
        "the queue was full after "
            + posted
            + " of "
            + wanted
            + " requests. Poll completions"
            + " first, or ask for a longer queue.");
  }

  @Override
  public SendRequestMod getWrMod(int index) {
    return new PostedRequest(block, index);
  }

  @Override
  public SVCPostSend execute() throws IOException {
    int posted = qp.postSend(block, 0, block.capacity());
    if (posted < block.capacity()) {
      throw full("ibv_post_send", posted, block.capacity());
    }
    return this;
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  @Override
  public SVCPostSend free() {
    valid = false;
    return this;
  }
}
