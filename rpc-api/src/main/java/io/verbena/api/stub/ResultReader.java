package io.verbena.api.stub;

import io.verbena.api.wire.WireIn;
import org.jspecify.annotations.Nullable;

/** Reads a method's result. */
@FunctionalInterface
public interface ResultReader<R> {
  /** Reads one result; null only where the contract allows it or the method returns void. */
  @Nullable R read(WireIn in);
}
