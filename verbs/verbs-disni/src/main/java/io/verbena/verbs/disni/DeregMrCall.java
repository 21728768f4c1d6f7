package io.verbena.verbs.disni;

import com.ibm.disni.verbs.SVCDeregMr;
import io.verbena.verbs.ext.VerbsMr;
import java.io.IOException;

/** DiSNI's stateful deregistration. */
final class DeregMrCall extends SVCDeregMr {
  private final VerbsMr mr;
  private boolean valid = true;

  DeregMrCall(VerbsMr mr) {
    this.mr = mr;
  }

  @Override
  public SVCDeregMr execute() throws IOException {
    mr.deregister();
    return this;
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  @Override
  public SVCDeregMr free() {
    valid = false;
    return this;
  }
}
