package io.verbena.verbs.disni;

import com.ibm.disni.verbs.SVCPostSend;
import io.verbena.verbs.ext.SendOpcode;

/**
 * A request of DiSNI's stateful post that can change its opcode and immediate, too. What {@link
 * SVCPostSend#getWrMod} of any provider behind {@link DisniBridge} returns.
 */
public interface SendRequestMod extends SVCPostSend.SendWRMod {
  /**
   * Changes what the request does.
   *
   * @param opcode a {@link SendOpcode}
   */
  void setOpcode(int opcode);

  /** The immediate, in this machine's order. */
  void setImm_data(int immediate);
}
