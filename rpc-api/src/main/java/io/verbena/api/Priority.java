package io.verbena.api;

import java.util.Locale;

/**
 * How much a call matters to its caller, where a server has more calls than it can serve: it
 * refuses the lowest first. It travels in the metadata, by the key {@value #KEY_NAME} with the
 * constant's name in small letters, and only where it is not {@link #NORMAL}.
 *
 * <pre>{@code
 * Store store = StoreRpc.client(session, CallOptions.DEFAULT.withMetadata(Priority.BACKGROUND.in(Metadata.EMPTY)));
 * }</pre>
 */
public enum Priority {
  /** Somebody waits for it, and nothing works without: refused last. */
  CRITICAL,
  /** What a call is that says nothing. */
  NORMAL,
  /** It may as well be made later: refused first. */
  BACKGROUND;

  /** The name of the key. */
  public static final String KEY_NAME = "verbena-priority";

  private static final Metadata.Key<String> KEY = Metadata.Key.text(KEY_NAME);

  /**
   * Returns the priority that metadata say. What a peer has made up, or what a newer one has, is
   * {@link #NORMAL}.
   */
  public static Priority of(Metadata metadata) {
    String told = metadata.isEmpty() ? null : metadata.get(KEY);
    if (told == null) {
      return NORMAL;
    }
    return switch (told) {
      case "critical" -> CRITICAL;
      case "background" -> BACKGROUND;
      default -> NORMAL;
    };
  }

  /**
   * Returns the priority of the call that this thread handles, for calls of its own; {@link
   * #NORMAL} where it handles none.
   */
  public static Priority current() {
    CallContext call = CallContext.currentOrNull();
    return call == null ? NORMAL : of(call.metadata());
  }

  /** Returns metadata that say this priority, whatever they said before. */
  public Metadata in(Metadata metadata) {
    return this == NORMAL ? metadata.without(KEY) : metadata.with(KEY, word());
  }

  /** Returns the name in small letters, as it travels. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
