package io.verbena.verbs.disni;

import com.ibm.disni.verbs.SVCPostSend;
import io.verbena.verbs.ext.SendOpcode;

/**
 * A request of DiSNI's stateful post whose opcode and immediate can be changed, too. {@link
 * SVCPostSend#getWrMod} of any provider behind {@link DisniBridge} returns it.
 */
public interface SendRequestMod extends SVCPostSend.SendWRMod {
  /**
   * Changes the operation of the request.
   *
   * @param opcode a {@link SendOpcode}
   */
  void setOpcode(int opcode);

  /** Sets the immediate, in this machine's byte order. */
  void setImm_data(int immediate);
}
