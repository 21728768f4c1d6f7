package io.verbena.api;

import org.jspecify.annotations.Nullable;

/**
 * The result of a successful call, as a {@link ClientInterceptor} sees it. Immutable.
 *
 * @param <R> the method's result
 * @param value the result; null for a void method, or if the method may return null
 * @param metadata the metadata of the reply
 */
public record Answer<R>(@Nullable R value, Metadata metadata) {
  /** Returns a result without metadata. */
  public static <R> Answer<R> of(@Nullable R value) {
    return new Answer<>(value, Metadata.EMPTY);
  }
}
