package io.verbena.codec;

import io.verbena.api.wire.WireException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Strict UTF-8. Both sides refuse a text that does not survive encoding and decoding. The JDK would
 * silently replace invalid parts by a question mark or U+FFFD.
 */
final class Utf8 {
  private Utf8() {}

  /** Returns the encoded length of a text in bytes. */
  static int length(String text) {
    int chars = text.length();
    int i = 0;
    while (i < chars && text.charAt(i) < 0x80) {
      i++;
    }
    return i == chars ? chars : i + lengthFrom(text, i);
  }

  private static int lengthFrom(String text, int from) {
    long length = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        length += 1;
      } else if (c < 0x800) {
        length += 2;
      } else if (!Character.isSurrogate(c)) {
        length += 3;
      } else {
        codePoint(text, i);
        i++;
        length += 4;
      }
    }
    if (from + length > Integer.MAX_VALUE) {
      throw new WireException("a string of more than 2 GiB does not fit a message");
    }
    return (int) length;
  }

  /** Writes a text. Its encoded length is known. */
  static void put(ByteBuffer out, int at, String text, int length) {
    if (length == text.length()) {
      putAscii(out, at, text);
    } else {
      putAny(out, at, text);
    }
  }

  private static void putAscii(ByteBuffer out, int at, String text) {
    for (int i = 0; i < text.length(); i++) {
      out.put(at + i, (byte) text.charAt(i));
    }
  }

  private static void putAny(ByteBuffer out, int at, String text) {
    int to = at;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        out.put(to++, (byte) c);
      } else if (c < 0x800) {
        out.put(to++, (byte) (0xc0 | c >> 6));
        out.put(to++, continuation(c));
      } else if (!Character.isSurrogate(c)) {
        out.put(to++, (byte) (0xe0 | c >> 12));
        out.put(to++, continuation(c >> 6));
        out.put(to++, continuation(c));
      } else {
        int code = codePoint(text, i);
        i++;
        out.put(to++, (byte) (0xf0 | code >> 18));
        out.put(to++, continuation(code >> 12));
        out.put(to++, continuation(code >> 6));
        out.put(to++, continuation(code));
      }
    }
  }

  private static byte continuation(int bits) {
    return (byte) (0x80 | (bits & 0x3f));
  }

  private static int codePoint(String text, int i) {
    int code = text.codePointAt(i);
    if (code < Character.MIN_SUPPLEMENTARY_CODE_POINT) {
      throw new WireException(
          "a string has half a surrogate pair at index " + i + ", which UTF-8 cannot carry");
    }
    return code;
  }

  /** Decodes a text. */
  static String decode(byte[] bytes, int from, int length) {
    String text = new String(bytes, from, length, StandardCharsets.UTF_8);
    // U+FFFD stands for itself or for invalid bytes. Only then a second check is needed.
    if (text.indexOf('\uFFFD') >= 0) {
      try {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, length));
      } catch (CharacterCodingException e) {
        throw new WireException("a string is not UTF-8: " + e.getMessage());
      }
    }
    return text;
  }
}
