package io.verbena.codec.json;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/**
 * Escapes also those characters that JSON need not escape, and that a terminal may take for
 * commands: controls, marks of the direction of writing, and separators of lines. Jackson asks
 * while it writes, so there is no second pass.
 */
final class TerminalEscapes extends CharacterEscapes {
  private static final long serialVersionUID = 1L;

  private static final int DELETE = 0x7f;
  private static final int FIRST_NOT_CONTROL = 0xa0;

  /**
   * High surrogates of the characters of category Cf beyond U+FFFF. Other characters with them are
   * escaped too: some of music, and of old scripts.
   */
  private static final String HIGH_OF_FORMATS = "\ud804\ud80d\ud82f\ud834\udb40";

  private static final int[] ASCII = ascii();

  private static int[] ascii() {
    int[] codes = standardAsciiEscapesForJSON();
    codes[DELETE] = ESCAPE_CUSTOM;
    return codes;
  }

  @Override
  public int[] getEscapeCodesForAscii() {
    return ASCII;
  }

  /** Is asked for DEL, for characters beyond ASCII, and for the first of two surrogates. */
  @Override
  public @Nullable SerializableString getEscapeSequence(int character) {
    return isShown(character) ? null : new SerializedString("\\u%04x".formatted(character));
  }

  private static boolean isShown(int character) {
    if (character < FIRST_NOT_CONTROL) {
      return false;
    }
    return switch (Character.getType(character)) {
      case Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
      case Character.SURROGATE -> HIGH_OF_FORMATS.indexOf(character) < 0;
      default -> true;
    };
  }
}
