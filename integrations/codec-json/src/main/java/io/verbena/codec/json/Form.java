package io.verbena.codec.json;

import io.verbena.api.wire.WireIn;

/**
 * What results and items of streams are made into: a tree, or text. Threads that read replies call
 * it.
 */
@FunctionalInterface
public interface Form<T> {
  /** Reads a value. */
  T read(WireToJson reader, WireIn in, JsonShape shape);
}
