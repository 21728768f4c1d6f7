package io.verbena.api;

import org.jspecify.annotations.Nullable;

/**
 * How a call ended well, as a {@link ClientInterceptor} sees it.
 *
 * @param <R> the method's result
 * @param value the result; null where the method returns nothing, or a value that may be null
 * @param metadata what came beside it
 */
public record Answer<R>(@Nullable R value, Metadata metadata) {
  /** Returns a result with nothing beside it. */
  public static <R> Answer<R> of(@Nullable R value) {
    return new Answer<>(value, Metadata.EMPTY);
  }
}
