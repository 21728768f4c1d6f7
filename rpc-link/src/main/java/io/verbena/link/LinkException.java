package io.verbena.link;

import io.verbena.link.memory.Shortage;
import org.jspecify.annotations.Nullable;

/** A link could not be opened or listened for. */
public final class LinkException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean nobodyListens;
  private final boolean untrusted;
  private final transient @Nullable Shortage shortage;

  /** Says what went wrong, where, and what to do. */
  public LinkException(String message, @Nullable Throwable cause) {
    this(message, cause, false, false, null);
  }

  private LinkException(
      String message,
      @Nullable Throwable cause,
      boolean nobodyListens,
      boolean untrusted,
      @Nullable Shortage shortage) {
    super(message, cause);
    this.nobodyListens = nobodyListens;
    this.untrusted = untrusted;
    this.shortage = shortage;
  }

  /** The same may be tried again when others have given something back. */
  public static LinkException shortOf(
      Shortage shortage, String message, @Nullable Throwable cause) {
    return new LinkException(message, cause, false, false, shortage);
  }

  /** Returns what is missing; null where nobody gives it back. */
  public @Nullable Shortage shortage() {
    return shortage;
  }

  /** There is an answer, and it is that nobody listens: the process that did has gone. */
  public static LinkException nobodyListens(String message, @Nullable Throwable cause) {
    return new LinkException(message, cause, true, false, null);
  }

  /**
   * One end does not trust who the other is, or wants to know it: the same again meets the same.
   */
  public static LinkException untrusted(String message, @Nullable Throwable cause) {
    return new LinkException(message, cause, false, true, null);
  }

  /** Returns whether one end refused the other for what it showed of itself. */
  public boolean isUntrusted() {
    return untrusted;
  }

  /** Returns whether the other end answers, and says that nobody listens there. */
  public boolean nobodyListens() {
    return nobodyListens;
  }
}
