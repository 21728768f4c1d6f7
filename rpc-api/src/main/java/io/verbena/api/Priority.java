package io.verbena.api;

import java.util.Locale;

/**
 * The importance of a call to its caller. A server that receives more calls than it can serve
 * refuses those of the lowest priority first. The priority travels in the metadata, under the key
 * {@value #KEY_NAME}, as the constant's name in lower case. {@link #NORMAL} is not sent.
 *
 * <pre>{@code
 * Store store = StoreRpc.client(session, CallOptions.DEFAULT.withMetadata(Priority.BACKGROUND.in(Metadata.EMPTY)));
 * }</pre>
 */
public enum Priority {
  /** For calls without which the caller cannot work. They are refused last. */
  CRITICAL,
  /** The default. */
  NORMAL,
  /** For calls that may as well be made later. They are refused first. */
  BACKGROUND;

  /** The name of the metadata key. */
  public static final String KEY_NAME = "verbena-priority";

  private static final Metadata.Key<String> KEY = Metadata.Key.reserved(KEY_NAME);

  /**
   * Returns the priority in these metadata. An unknown value, such as one of a newer version,
   * counts as {@link #NORMAL}.
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
   * Returns the priority of the call that this thread handles, so that a handler can pass it to its
   * own calls. {@link #NORMAL} if the thread handles none.
   */
  public static Priority current() {
    CallContext call = CallContext.currentOrNull();
    return call == null ? NORMAL : of(call.metadata());
  }

  /** Returns a copy of these metadata with this priority in place of any other. */
  public Metadata in(Metadata metadata) {
    return this == NORMAL ? metadata.without(KEY) : metadata.with(KEY, word());
  }

  /**
   * Returns the priority of this name, as it travels: {@code critical}, {@code normal} or {@code
   * background}.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Priority ofWord(String word) {
    for (Priority priority : values()) {
      if (priority.word().equals(word)) {
        return priority;
      }
    }
    throw new IllegalArgumentException(
        KEY_NAME + " must be critical, normal or background, not " + word);
  }

  /** Returns the name in lower case, as it travels. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
