package io.verbena.codegen.read;

/** A contract names a type that does not exist yet; another processor may generate it. */
public final class UnresolvedTypeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnresolvedTypeException(String type) {
    super(type);
  }
}
