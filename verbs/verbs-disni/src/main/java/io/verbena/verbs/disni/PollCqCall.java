package io.verbena.verbs.disni;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.VerbsCq;
import java.io.IOException;
import java.lang.foreign.Arena;

/** DiSNI's stateful poll, with a block of its own. */
final class PollCqCall extends SVCPollCq {
  private final VerbsCq cq;
  private final IbvWC[] completions;
  private final CompletionBlock block;
  private boolean valid = true;
  private int polls;

  PollCqCall(VerbsCq cq, IbvWC[] completions, int max) {
    this.cq = cq;
    this.completions = completions;
    block = new CompletionBlock(Arena.ofAuto(), Math.min(max, completions.length));
  }

  @Override
  public SVCPollCq execute() throws IOException {
    polls = cq.poll(block);
    for (int i = 0; i < polls; i++) {
      IbvWC wc = completions[i];
      wc.setWr_id(block.wrId(i));
      wc.setStatus(block.status(i));
      wc.setOpcode(block.opcode(i));
      wc.setVendor_err(block.vendorError(i));
      wc.setByte_len(block.byteLength(i));
      // Its bytes in memory are those on the wire, like those of a key.
      wc.setImm_data(block.invalidatedRkey(i));
      wc.setQp_num(block.qpNumber(i));
      wc.setSrc_qp(block.sourceQp(i));
      wc.setWc_flags(block.flags(i));
      wc.setPkey_index(block.pkeyIndex(i));
      wc.setSlid(block.sourceLid(i));
      wc.setSl(block.serviceLevel(i));
      wc.setDlid_path_bits(block.destinationPathBits(i));
      wc.setErr(0);
    }
    return this;
  }

  @Override
  public int getPolls() {
    return polls;
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  @Override
  public SVCPollCq free() {
    valid = false;
    return this;
  }
}
