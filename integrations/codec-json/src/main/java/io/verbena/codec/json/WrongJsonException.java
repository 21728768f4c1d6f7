package io.verbena.codec.json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** JSON that does not fit the contract: the message says what was expected, and where. */
public final class WrongJsonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The length to which the offending JSON is quoted. */
  private static final int MOST_SHOWN = 40;

  private final String place;
  private final String why;

  private WrongJsonException(String place, String why) {
    super(place.isEmpty() ? why : place + ": " + why);
    this.place = place;
    this.why = why;
  }

  /** Returns a fault at the outermost value. */
  public static WrongJsonException of(String why) {
    return new WrongJsonException("", why);
  }

  /** Returns a fault that names the expected JSON. */
  public static WrongJsonException expected(String expected, @Nullable JsonNode found) {
    String shown = String.valueOf(found);
    return of(
        "expected %s, not %s"
            .formatted(
                expected,
                shown.length() > MOST_SHOWN ? shown.substring(0, MOST_SHOWN) + "…" : shown));
  }

  /** Returns this fault as one within a member or element. */
  public WrongJsonException within(String step) {
    String dot = place.isEmpty() || place.startsWith("[") ? "" : ".";
    return new WrongJsonException(step + dot + place, why);
  }
}
