package io.verbena.cli.doctor;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Optional;

/** Registers memory for a moment. Only a registration shows whether the limits allow it. */
final class Registration {
  private static final int PAGE = 4096;

  private Registration() {}

  /** Returns the reason why memory cannot be registered on a device; empty if it can. */
  static Optional<String> problem(IbvContext device, long bytes) {
    try (Arena arena = Arena.ofShared()) {
      IbvPd domain = device.allocPd();
      try {
        long address = arena.allocate(bytes, PAGE).address();
        VerbsMr.of(VerbsPd.of(domain).registerMemory(address, bytes, Access.LOCAL_WRITE))
            .deregister();
      } finally {
        free(domain);
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static void free(IbvPd domain) throws IOException {
    try {
      domain.deallocPd();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) { // DiSNI's signature
      throw new IOException("a protection domain cannot be freed: " + e.getMessage(), e);
    }
  }
}
