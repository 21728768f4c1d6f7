package io.verbena.bench.command;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses sizes such as 64, 64k, 4m and 1g. */
final class Bytes implements ITypeConverter<Integer> {
  @Override
  public Integer convert(String text) {
    String digits = text.toLowerCase(Locale.ROOT).replaceFirst("i?b?$", "");
    int shift =
        digits.endsWith("k") ? 10 : digits.endsWith("m") ? 20 : digits.endsWith("g") ? 30 : 0;
    try {
      return Math.multiplyExact(
          Integer.parseInt(shift == 0 ? digits : digits.substring(0, digits.length() - 1)),
          1 << shift);
    } catch (ArithmeticException | NumberFormatException e) {
      throw new TypeConversionException(
          "'" + text + "' is not a size such as 64, 64k, 4m or 1g, below 2g");
    }
  }
}
