package io.verbena.api.settings;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Turns texts of a peer or a user into one line for a log or a terminal. Line breaks, control
 * characters and marks that change the direction of writing become escapes, as in JSON. So no text
 * can pass for a line of another writer. Safe for use by any thread.
 */
public final class OneLine {
  private OneLine() {}

  /** Returns an object's {@code toString} as one line. */
  public static String of(@Nullable Object words) {
    String text = String.valueOf(words);
    int plain = 0;
    while (plain < text.length() && isShown(text.codePointAt(plain))) {
      plain++;
    }
    if (plain == text.length()) {
      return text;
    }
    StringBuilder line = new StringBuilder(text.length() + 16).append(text, 0, plain);
    for (int i = plain; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (isShown(text.codePointAt(i))
          && (i == 0 || !Character.isLowSurrogate(unit) || isShown(text.codePointAt(i - 1)))) {
        line.append(unit);
      } else {
        line.append("\\u");
        HexFormat.of().toHexDigits(line, (byte) (unit >> 8));
        HexFormat.of().toHexDigits(line, (byte) unit);
      }
    }
    return line.toString();
  }

  private static boolean isShown(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
