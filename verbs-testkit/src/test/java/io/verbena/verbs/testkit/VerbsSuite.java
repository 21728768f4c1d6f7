package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.verbs.ext.VerbsException;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the suites share: a harness for each test. */
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
