package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import java.util.Arrays;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The common part of the suites: a harness for each test. */
public abstract class VerbsSuite {
  /** The two hosts of this test. */
  protected VerbsHarness harness;

  /** Made afresh for each test; a real device's may be cheap wrappers of the same provider. */
  protected abstract VerbsHarness newHarness() throws Exception;

  @SuppressWarnings("NullAway") // JUnit makes the harness before any test
  protected VerbsSuite() {
    harness = null;
  }

  @BeforeEach
  final void openHarness() throws Exception {
    harness = newHarness();
  }

  @AfterEach
  final void closeHarness() throws Exception {
    harness.close();
  }

  /** Returns whether the device is rdma_rxe of a Linux after 6.1, unlike any other at times. */
  final boolean isLaterRxe() throws IOException {
    String device = VerbsContext.of(harness.passive().devices().getFirst()).deviceName();
    return harness.isReal()
        && device.startsWith("rxe")
        && !System.getProperty("os.version").matches("([1-5]|6\\.[01])\\..*");
  }

  /**
   * Returns how a request may end that its own device refuses: by one of these statuses, but on
   * rdma_rxe of a later Linux flushed with what is behind it, too.
   */
  final int[] refusals(int... statuses) throws IOException {
    int[] all = statuses;
    if (isLaterRxe()) {
      all = Arrays.copyOf(statuses, statuses.length + 1);
      all[statuses.length] = WcStatus.WR_FLUSH_ERR;
    }
    return all;
  }

  /** Asserts that a call fails with one of the error numbers. */
  static void assertFails(ThrowingCallable call, Integer... errnos) {
    Throwable thrown = catchThrowable(call);
    Assertions.assertThat(thrown).isInstanceOf(VerbsException.class);
    if (errnos.length > 0) {
      Assertions.assertThat(((VerbsException) thrown).errno())
          .as(thrown.toString())
          .isIn((Object[]) errnos);
    }
  }
}
