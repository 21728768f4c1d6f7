package io.verbena.api;

import io.verbena.api.settings.Checks;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a caller may set for the calls of one stub. Immutable.
 *
 * @param timeout the deadline of each call, counted from its start, longer than 0; null: the
 *     method's own, else the session's default. A call made inside a handler ends no later than the
 *     handler's own deadline.
 * @param metadata what each call takes along beside its arguments
 * @param interceptors what each call passes, the first one first, behind those of its client or
 *     server
 */
public record CallOptions(
    @Nullable Duration timeout, Metadata metadata, List<ClientInterceptor> interceptors) {
  /** Nothing set. */
  public static final CallOptions DEFAULT = new CallOptions(null, Metadata.EMPTY, List.of());

  /** Checks what is set. */
  public CallOptions {
    if (timeout != null) {
      Checks.positive("timeout", timeout);
    }
    Checks.required("metadata", metadata);
    interceptors = List.copyOf(Checks.required("interceptors", interceptors));
  }

  /** Returns options with this timeout, and nothing else set. */
  public static CallOptions timeout(Duration timeout) {
    return DEFAULT.withTimeout(timeout);
  }

  /** Returns these options with another timeout; null: none of the caller's. */
  public CallOptions withTimeout(@Nullable Duration timeout) {
    return new CallOptions(timeout, metadata, interceptors);
  }

  /** Returns these options with other metadata. */
  public CallOptions withMetadata(Metadata metadata) {
    return new CallOptions(timeout, metadata, interceptors);
  }

  /** Returns these options with other interceptors. */
  public CallOptions withInterceptors(ClientInterceptor... interceptors) {
    return new CallOptions(
        timeout, metadata, List.of(Checks.required("interceptors", interceptors)));
  }
}
