package io.verbena.link;

import io.verbena.link.memory.Shortage;
import org.jspecify.annotations.Nullable;

/** A failure to open a link, to listen for links, or to prepare memory for one. */
public final class LinkException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean nobodyListens;
  private final boolean untrusted;
  private final transient @Nullable Shortage shortage;

  /**
   * Makes a failure.
   *
   * @param message the problem, its place, and the remedy
   */
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

  /** Returns a failure that may pass when others release a shared resource. */
  public static LinkException shortOf(
      Shortage shortage, String message, @Nullable Throwable cause) {
    return new LinkException(message, cause, false, false, shortage);
  }

  /** Returns the shared resource that is short; null if waiting does not help. */
  public @Nullable Shortage shortage() {
    return shortage;
  }

  /** Returns a failure for a host that answers, but on which no process listens at the port. */
  public static LinkException nobodyListens(String message, @Nullable Throwable cause) {
    return new LinkException(message, cause, true, false, null);
  }

  /**
   * Returns a failure because one end does not trust the other, or requires its identity. Another
   * attempt would fail again.
   */
  public static LinkException untrusted(String message, @Nullable Throwable cause) {
    return new LinkException(message, cause, false, true, null);
  }

  /** Returns whether one end refused the identity of the other. */
  public boolean isUntrusted() {
    return untrusted;
  }

  /** Returns whether the host answers, but no process listens at the port. */
  public boolean nobodyListens() {
    return nobodyListens;
  }
}
