package io.verbena.api.settings;

import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Words of a peer or a user as a log and a terminal can show them: line breaks, control characters
 * and marks that change the direction of writing become escapes, as in JSON, so that nobody's words
 * pass for a line of another's. Safe for use by any thread.
 */
public final class OneLine {
  private static final Pattern NOT_SHOWN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

  private OneLine() {}

  /** Returns what an object says of itself, in one line. */
  public static String of(@Nullable Object words) {
    return NOT_SHOWN
        .matcher(String.valueOf(words))
        .replaceAll(found -> Matcher.quoteReplacement(escape(found.group())));
  }

  private static String escape(String character) {
    StringBuilder escape = new StringBuilder();
    for (int i = 0; i < character.length(); i++) {
      escape.append("\\u").append(HexFormat.of().toHexDigits(character.charAt(i)));
    }
    return escape.toString();
  }
}
