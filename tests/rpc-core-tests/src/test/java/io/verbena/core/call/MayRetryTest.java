package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A retry that {@code mayRetry} allows is safe and may succeed. */
class MayRetryTest {
  /** The same call may go well later. */
  private static final Set<RpcStatus> MAY_HELP =
      EnumSet.of(RpcStatus.DEADLINE_EXCEEDED, RpcStatus.UNAVAILABLE, RpcStatus.RESOURCE_EXHAUSTED);

  /** The same call meets the same, or nobody wants it any more. */
  private static final Set<RpcStatus> HOPELESS =
      EnumSet.of(
          RpcStatus.CANCELLED,
          RpcStatus.INVALID_ARGUMENT,
          RpcStatus.UNIMPLEMENTED,
          RpcStatus.INCOMPATIBLE,
          RpcStatus.UNAUTHENTICATED,
          RpcStatus.PERMISSION_DENIED,
          RpcStatus.INTERNAL,
          RpcStatus.PROTOCOL_ERROR);

  private static boolean mayRetry(RpcStatus status, Execution execution, boolean idempotent) {
    return new RpcException(status, "words", CallPhase.REPLIED, execution, idempotent, null, null)
        .mayRetry();
  }

  @ParameterizedTest
  @EnumSource
  void aCallMayBeRepeatedWhereThatIsSafeAndMayHelp(RpcStatus status) {
    boolean helps = MAY_HELP.contains(status);
    assertThat(helps || HOPELESS.contains(status)).as("it has its place").isTrue();
    assertThat(mayRetry(status, Execution.NOT_EXECUTED, false)).isEqualTo(helps);
    assertThat(mayRetry(status, Execution.NOT_EXECUTED, true)).isEqualTo(helps);
    assertThat(mayRetry(status, Execution.UNKNOWN, true)).isEqualTo(helps);
    assertThat(mayRetry(status, Execution.UNKNOWN, false)).isFalse();
    for (boolean idempotent : new boolean[] {false, true}) {
      assertThat(mayRetry(status, Execution.EXECUTED, idempotent)).isFalse();
    }
  }
}
