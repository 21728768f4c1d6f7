package io.verbena.verbs.disni;

import com.ibm.disni.verbs.SVCReqNotify;
import io.verbena.verbs.ext.VerbsCq;
import java.io.IOException;

/** DiSNI's stateful arming of a completion queue. */
final class ReqNotifyCall extends SVCReqNotify {
  private final VerbsCq cq;
  private final boolean solicitedOnly;
  private boolean valid = true;

  ReqNotifyCall(VerbsCq cq, boolean solicitedOnly) {
    this.cq = cq;
    this.solicitedOnly = solicitedOnly;
  }

  @Override
  public SVCReqNotify execute() throws IOException {
    cq.arm(solicitedOnly);
    return this;
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  @Override
  public SVCReqNotify free() {
    valid = false;
    return this;
  }
}
