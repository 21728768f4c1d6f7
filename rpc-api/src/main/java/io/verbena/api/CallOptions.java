package io.verbena.api;

import io.verbena.api.settings.Checks;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options for the calls of one stub. Immutable.
 *
 * @param timeout the deadline of each call, counted from its start; longer than 0. If it is null,
 *     the method's own timeout counts, else the session's default. A call made inside a handler
 *     ends no later than the handler's own deadline.
 * @param metadata the metadata that each call carries with its arguments
 * @param interceptors the interceptors that each call passes, in this order, after those of its
 *     client or server
 * @param resultsIn the arena for large {@code MemorySegment} results; null keeps them on the heap
 */
public record CallOptions(
    @Nullable Duration timeout,
    Metadata metadata,
    List<ClientInterceptor> interceptors,
    @Nullable Arena resultsIn) {
  /** The defaults. */
  public static final CallOptions DEFAULT = new CallOptions(null, Metadata.EMPTY, List.of(), null);

  /** Checks the values. */
  public CallOptions {
    if (timeout != null) {
      Checks.positive("timeout", timeout);
    }
    Checks.required("metadata", metadata);
    interceptors = List.copyOf(Checks.required("interceptors", interceptors));
  }

  /**
   * Returns the defaults with this timeout.
   *
   * @throws IllegalArgumentException if it is not longer than 0
   */
  public static CallOptions timeout(Duration timeout) {
    return DEFAULT.withTimeout(timeout);
  }

  /**
   * Returns these options with another timeout. Null means the method's own timeout, else the
   * session's default.
   *
   * @throws IllegalArgumentException if it is not longer than 0
   */
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
   * returns is then in pooled memory outside the heap, and lives as long as the arena. A later
   * access throws {@code IllegalStateException} and never reads other data. Until then the memory
   * counts against {@code bulkMemoryBytes}. A call that finds no room there waits up to 10 s and
   * then fails with {@code RESOURCE_EXHAUSTED}. Small results are on the heap.
   *
   * <p>Start the Java virtual machine with {@code --enable-native-access=ALL-UNNAMED}.
   *
   * @param arena made by {@code Arena.ofShared()} or {@code Arena.ofAuto()}. Close it after the
   *     calls have returned: a call fails if the arena is closed
   * @throws IllegalArgumentException if the arena is confined to one thread
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
