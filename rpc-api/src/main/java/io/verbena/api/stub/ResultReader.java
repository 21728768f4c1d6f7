package io.verbena.api.stub;

import io.verbena.api.wire.WireIn;
import org.jspecify.annotations.Nullable;

/** Reads a method's result. */
@FunctionalInterface
public interface ResultReader<R> {
  /** Reads one result. It is null only if the contract allows that or the method returns void. */
  @Nullable R read(WireIn in);
}
