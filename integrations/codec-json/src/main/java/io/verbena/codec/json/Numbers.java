package io.verbena.codec.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.FloatNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.verbena.api.wire.StandardTypes;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Numbers and booleans, in JSON and on the wire. */
final class Numbers {
  /** The size limit that JSON decoders use too. A longer number takes long to convert to text. */
  private static final int MOST_NUMBER_BYTES = 400;

  /**
   * The limit of digits that JSON parsers use too. Numbers in strings take long to convert as well.
   */
  private static final int MOST_DIGITS = 1000;

  private Numbers() {}

  static JdkType float32() {
    return floating(
        "a number (float)", Numbers::floatOf, WireOut::writeFloat, in -> json(in.readFloat()));
  }

  static JdkType float64() {
    return floating(
        "a number (double)", Numbers::doubleOf, WireOut::writeDouble, in -> json(in.readDouble()));
  }

  static JdkType integer() {
    return number(
        "a whole number",
        text -> answerable(whole(shortEnough(text))),
        StandardTypes::writeBigInteger,
        in -> BigIntegerNode.valueOf(shortEnough(StandardTypes.readBigInteger(in))));
  }

  static JdkType decimal() {
    return number(
        "a number",
        text -> {
          BigDecimal value = new BigDecimal(shortEnough(text));
          answerable(value.unscaledValue());
          return value;
        },
        StandardTypes::writeBigDecimal,
        in -> DecimalNode.valueOf(shortEnough(StandardTypes.readBigDecimal(in))));
  }

  static Map.Entry<String, JdkType> whole(
      String name,
      long least,
      long most,
      BiConsumer<WireOut, Long> write,
      Function<WireIn, ? extends Number> read) {
    return Map.entry(
        name,
        JdkType.of(
            "a whole number from %d to %d (%s)".formatted(least, most, name),
            text -> between(least, most, text),
            JsonNode::isNumber,
            write,
            in -> LongNode.valueOf(read.apply(in).longValue()),
            LongNode.valueOf(0)));
  }

  /** JSON Schema's integers include 2.0 and 1e2. Exponents are limited as digits are. */
  private static BigInteger whole(String text) {
    BigDecimal value = new BigDecimal(text);
    long digits = (long) value.precision() - value.scale();
    if (value.signum() == 0) {
      return BigInteger.ZERO;
    }
    if (digits < 1 || digits > MOST_DIGITS) { // before anything is computed from the exponent
      throw new IllegalArgumentException("not whole, or too many digits");
    }
    try {
      return value.toBigIntegerExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("not whole", e);
    }
  }

  private static long between(long least, long most, String text) {
    BigInteger whole = whole(shortEnough(text));
    long value = whole.bitLength() < Long.SIZE ? whole.longValue() : 0;
    if (whole.bitLength() >= Long.SIZE || value < least || value > most) {
      throw new IllegalArgumentException("out of range");
    }
    return value;
  }

  private static <T> JdkType floating(
      String expected,
      Function<String, T> ofText,
      BiConsumer<WireOut, T> write,
      Function<WireIn, JsonNode> read) {
    return JdkType.of(
        expected + ", \"NaN\", \"Infinity\" or \"-Infinity\"",
        ofText,
        JsonNode::isNumber,
        write,
        read,
        LongNode.valueOf(0));
  }

  private static Float floatOf(String text) {
    float value = Float.parseFloat(text);
    checkFits(Float.isInfinite(value), text);
    return value;
  }

  private static Double doubleOf(String text) {
    double value = Double.parseDouble(text);
    checkFits(Double.isInfinite(value), text);
    return value;
  }

  private static void checkFits(boolean infinite, String text) {
    if (infinite && !text.endsWith("Infinity")) {
      throw new IllegalArgumentException("out of range");
    }
  }

  /** JSON has no number for NaN and infinities, so they are strings. */
  private static JsonNode json(float value) {
    return Float.isFinite(value)
        ? FloatNode.valueOf(value)
        : TextNode.valueOf(Float.toString(value));
  }

  private static JsonNode json(double value) {
    return Double.isFinite(value)
        ? DoubleNode.valueOf(value)
        : TextNode.valueOf(Double.toString(value));
  }

  private static <T> JdkType number(
      String expected,
      Function<String, T> ofText,
      BiConsumer<WireOut, T> write,
      Function<WireIn, JsonNode> read) {
    return JdkType.of(expected, ofText, JsonNode::isNumber, write, read, null);
  }

  private static String shortEnough(String text) {
    if (text.length() > MOST_DIGITS) {
      throw new IllegalArgumentException("too many digits");
    }
    return text;
  }

  /** An argument has no more digits than a result may have, or the method would run in vain. */
  private static BigInteger answerable(BigInteger value) {
    if (isTooLong(value)) {
      throw new IllegalArgumentException("too many digits");
    }
    return value;
  }

  private static boolean isTooLong(BigInteger value) {
    return value.bitLength() > Byte.SIZE * MOST_NUMBER_BYTES;
  }

  private static BigInteger shortEnough(BigInteger value) {
    if (isTooLong(value)) {
      throw new WireException("a number takes more than " + MOST_NUMBER_BYTES + " bytes");
    }
    return value;
  }

  private static BigDecimal shortEnough(BigDecimal value) {
    shortEnough(value.unscaledValue());
    return value;
  }

  static JdkType flag() {
    return JdkType.of(
        "true or false",
        Numbers::flagOf,
        JsonNode::isBoolean,
        WireOut::writeBoolean,
        in -> BooleanNode.valueOf(in.readBoolean()),
        BooleanNode.FALSE);
  }

  private static boolean flagOf(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("neither");
    }
    return text.equals("true");
  }
}
