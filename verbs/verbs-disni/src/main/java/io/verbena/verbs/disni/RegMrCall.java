package io.verbena.verbs.disni;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.SVCRegMr;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** DiSNI's stateful registration: each execution makes one region. */
final class RegMrCall extends SVCRegMr {
  private final VerbsPd pd;
  private final long address;
  private final int length;
  private final int access;
  private boolean valid = true;
  private @Nullable IbvMr mr;

  RegMrCall(VerbsPd pd, long address, int length, int access) {
    this.pd = pd;
    this.address = address;
    this.length = length;
    this.access = access;
  }

  @Override
  public IbvMr getMr() {
    if (mr == null) {
      throw new IllegalStateException("Nothing is registered yet: call execute() first.");
    }
    return mr;
  }

  @Override
  public SVCRegMr execute() throws IOException {
    mr = pd.registerMemory(address, length, access);
    return this;
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  @Override
  public SVCRegMr free() {
    valid = false;
    return this;
  }
}
