package io.verbena.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Checks addresses of the form {@code HOST:PORT}. Addresses of links other than TCP pass unchecked.
 */
public final class Address implements ITypeConverter<String> {
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(tcp://)?(\\[[^\\]]+]|[^:/\\[\\]]+):(\\d{1,5})");

  private static final int MOST_PORT = 0xffff;

  @Override
  public String convert(String text) {
    boolean isTcp = !text.contains("://") || text.startsWith("tcp://");
    Matcher written = HOST_AND_PORT.matcher(text);
    if (isTcp && !(written.matches() && Integer.parseInt(written.group(3)) <= MOST_PORT)) {
      throw new TypeConversionException(
          "'" + text + "' is not an address; write HOST:PORT, with a port up to " + MOST_PORT);
    }
    return text;
  }
}
