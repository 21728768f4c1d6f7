package io.verbena.spring.autoconfigure;

import static io.verbena.spring.autoconfigure.EndSetup.or;

import io.verbena.api.settings.Checks;
import io.verbena.core.SessionLimits;
import io.verbena.spring.VerbenaProperties.Limits;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Makes session limits from properties. */
final class SessionLimitsOf {
  private static final int LEAST_MESSAGE = 4096;

  private SessionLimitsOf() {}

  static SessionLimits properties(Limits set) {
    SessionLimits all = SessionLimits.DEFAULT;
    return all.withDefaultTimeout(or(set.defaultTimeout(), all.defaultTimeout()))
        .withMaxCalls(or(set.maxCalls(), all.maxCalls()))
        .withMaxMessageBytes(
            (int)
                Checks.between(
                    "maxMessage",
                    bytes(set.maxMessage(), all.maxMessageBytes()),
                    LEAST_MESSAGE,
                    Integer.MAX_VALUE))
        .withMaxDepth(or(set.maxDepth(), all.maxDepth()))
        .withMaxKeptBytes(bytes(set.maxKept(), all.maxKeptBytes()))
        .withKeepalive(
            or(set.pingInterval(), all.pingInterval()), or(set.deadAfter(), all.deadAfter()))
        .withLeastPingInterval(or(set.leastPingInterval(), all.leastPingInterval()))
        .withResumeWindow(or(set.resumeWindow(), all.resumeWindow()));
  }

  private static long bytes(@Nullable DataSize set, long otherwise) {
    return set == null ? otherwise : set.toBytes();
  }
}
