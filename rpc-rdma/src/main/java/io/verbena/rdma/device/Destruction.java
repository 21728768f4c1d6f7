package io.verbena.rdma.device;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Destroys several things: where one cannot be destroyed it goes on with the others, and tells in
 * the end.
 */
final class Destruction {
  private @Nullable IOException failure;
  private int failures;

  /** Destroys one thing; DiSNI's signature. */
  interface Step {
    void run() throws Exception;
  }

  /** Returns whether that worked. */
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
   * All has been tried.
   *
   * @throws IOException of the first failure, if there was one
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
