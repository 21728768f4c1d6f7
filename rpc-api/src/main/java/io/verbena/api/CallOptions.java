package io.verbena.api;

import io.verbena.api.settings.Checks;
import java.lang.foreign.Arena;
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
 * @param resultsIn what large {@code MemorySegment} results live in; null: they are on the heap
 */
public record CallOptions(
    @Nullable Duration timeout,
    Metadata metadata,
    List<ClientInterceptor> interceptors,
    @Nullable Arena resultsIn) {
  /** Nothing set. */
  public static final CallOptions DEFAULT = new CallOptions(null, Metadata.EMPTY, List.of(), null);

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
    return new CallOptions(timeout, metadata, interceptors, resultsIn);
  }

  /** Returns these options with other metadata. */
  public CallOptions withMetadata(Metadata metadata) {
    return new CallOptions(timeout, metadata, interceptors, resultsIn);
  }

  /** Returns these options with other interceptors. */
  public CallOptions withInterceptors(ClientInterceptor... interceptors) {
    return new CallOptions(
        timeout, metadata, List.of(Checks.required("interceptors", interceptors)), resultsIn);
  }

  /**
   * Returns these options with an arena for results. A large {@code MemorySegment} that a call
   * returns is in pooled memory outside the heap then, and dies with the arena: whoever reads it
   * later meets an {@code IllegalStateException}, never the bytes of another. As long it counts
   * against {@code bulkMemoryBytes}, and a call that finds no room there waits up to 10 s and fails
   * with {@code RESOURCE_EXHAUSTED}. Small ones are on the heap.
   *
   * <p>The Java virtual machine is to be started with {@code --enable-native-access=ALL-UNNAMED}.
   *
   * @param arena of {@code Arena.ofShared()} or {@code Arena.ofAuto()}, closed after the calls have
   *     returned: a call that meets a closed one fails
   * @throws IllegalArgumentException if it is of one thread alone
   */
  public CallOptions withResultsIn(Arena arena) {
    Checks.that(
        Checks.required("resultsIn", arena)
            .allocate(0)
            .isAccessibleBy(Thread.ofVirtual().unstarted(() -> {})),
        "resultsIn",
        "Arena.ofShared() or Arena.ofAuto(), since results arrive on another thread",
        arena);
    return new CallOptions(timeout, metadata, interceptors, arena);
  }
}
