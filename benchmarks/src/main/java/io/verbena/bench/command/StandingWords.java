package io.verbena.bench.command;

import io.verbena.bench.verbena.Standing;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Standing landings as users write them: 8x64k. */
final class StandingWords implements ITypeConverter<Standing> {
  @Override
  public Standing convert(String text) {
    String[] words = text.split("x", -1);
    if (words.length != 2) {
      throw new TypeConversionException("'" + text + "' is no count and size such as 8x64k");
    }
    Bytes bytes = new Bytes();
    return new Standing(bytes.convert(words[0]), bytes.convert(words[1]));
  }
}
