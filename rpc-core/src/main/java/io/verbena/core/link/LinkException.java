package io.verbena.core.link;

import org.jspecify.annotations.Nullable;

/** A link could not be opened or listened for. */
public final class LinkException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what went wrong, where, and what to do. */
  public LinkException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
