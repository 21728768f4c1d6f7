package io.verbena.core.link;

import org.jspecify.annotations.Nullable;

/** A link could not be opened or listened for. */
public final class LinkException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean nobodyListens;

  /** Says what went wrong, where, and what to do. */
  public LinkException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  private LinkException(String message, @Nullable Throwable cause, boolean nobodyListens) {
    super(message, cause);
    this.nobodyListens = nobodyListens;
  }

  /** There is an answer, and it is that nobody listens: the process that did has gone. */
  public static LinkException nobodyListens(String message, @Nullable Throwable cause) {
    return new LinkException(message, cause, true);
  }

  /** Returns whether the other end answers, and says that nobody listens there. */
  public boolean nobodyListens() {
    return nobodyListens;
  }
}
