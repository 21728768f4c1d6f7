package io.verbena.rdma.device;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Destroys several objects. If one cannot be destroyed, it continues with the others, and reports
 * the failure at the end.
 */
final class Destruction {
  private @Nullable IOException failure;
  private int failures;

  /** Destroys one object; the signature is DiSNI's. */
  interface Step {
    void run() throws Exception;
  }

  /** Returns whether the step succeeded. */
  boolean of(Step step) {
    try {
      step.run();
      return true;
    } catch (Exception e) {
      failures++;
      if (failure == null) {
        failure = e instanceof IOException io ? io : new IOException(e.getMessage(), e);
      }
      return false;
    }
  }

  /**
   * Ends the destruction.
   *
   * @throws IOException the first failure, if there was one
   */
  void end() throws IOException {
    IOException first = failure;
    if (first != null && failures > 1) {
      throw new IOException(
          first.getMessage() + " (and " + (failures - 1) + " more failures)", first);
    }
    if (first != null) {
      throw first;
    }
  }
}
