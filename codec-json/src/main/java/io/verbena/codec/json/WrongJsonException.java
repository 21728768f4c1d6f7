package io.verbena.codec.json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** JSON of the user's that does not fit the contract: what was expected, and where. */
public final class WrongJsonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** So much of what was found stands in the message. */
  private static final int MOST_SHOWN = 40;

  private final String place;
  private final String why;

  private WrongJsonException(String place, String why) {
    super(place.isEmpty() ? why : place + ": " + why);
    this.place = place;
    this.why = why;
  }

  /** What is wrong, where nothing is nested. */
  public static WrongJsonException of(String why) {
    return new WrongJsonException("", why);
  }

  /** Another thing was expected. */
  public static WrongJsonException expected(String expected, @Nullable JsonNode found) {
    String shown = String.valueOf(found);
    return of(
        "expected %s, not %s"
            .formatted(
                expected,
                shown.length() > MOST_SHOWN ? shown.substring(0, MOST_SHOWN) + "…" : shown));
  }

  /** Returns the same, found within this member or element. */
  public WrongJsonException within(String step) {
    String dot = place.isEmpty() || place.startsWith("[") ? "" : ".";
    return new WrongJsonException(step + dot + place, why);
  }
}
