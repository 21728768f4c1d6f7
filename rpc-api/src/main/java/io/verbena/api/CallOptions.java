package io.verbena.api;

import io.verbena.api.settings.Checks;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Options for the calls of one stub. Immutable; start from {@link #DEFAULT}. */
public final class CallOptions {
  /** The defaults. */
  public static final CallOptions DEFAULT =
      new CallOptions(new Values(null, Metadata.EMPTY, List.of(), null));

  private final Values values;

  private record Values(
      @Nullable Duration timeout,
      Metadata metadata,
      List<ClientInterceptor> interceptors,
      @Nullable Arena resultsIn) {
    private Values {
      if (timeout != null) {
        Checks.positive("timeout", timeout);
      }
      Checks.required("metadata", metadata);
      interceptors = List.copyOf(Checks.required("interceptors", interceptors));
    }
  }

  private CallOptions(Values values) {
    this.values = values;
  }

  /**
   * Returns the time limit of each call, counted from its start; longer than 0. If it is null, the
   * method's own timeout counts, else the session's default. A call made inside a handler ends no
   * later than the handler's own deadline.
   */
  public @Nullable Duration timeout() {
    return values.timeout;
  }

  /** Returns the metadata that each call carries with its arguments. */
  public Metadata metadata() {
    return values.metadata;
  }

  /**
   * Returns the interceptors that each call passes, in this order, after those of its client or
   * server.
   */
  public List<ClientInterceptor> interceptors() {
    return values.interceptors;
  }

  /** Returns the arena for large {@code MemorySegment} results; null keeps them on the heap. */
  public @Nullable Arena resultsIn() {
    return values.resultsIn;
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
    return new CallOptions(
        new Values(timeout, values.metadata, values.interceptors, values.resultsIn));
  }

  /** Returns these options with other metadata. */
  public CallOptions withMetadata(Metadata metadata) {
    return new CallOptions(
        new Values(values.timeout, metadata, values.interceptors, values.resultsIn));
  }

  /** Returns these options with other interceptors. */
  public CallOptions withInterceptors(ClientInterceptor... interceptors) {
    return new CallOptions(
        new Values(
            values.timeout,
            values.metadata,
            List.of(Checks.required("interceptors", interceptors)),
            values.resultsIn));
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
    return new CallOptions(new Values(values.timeout, values.metadata, values.interceptors, arena));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CallOptions it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "CallOptions");
  }
}
