package io.verbena.codec.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.time.DateTimeException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A type of the JDK: its form in JSON and on the wire. Each type also accepts a string, because
 * names of members are strings.
 *
 * @param expected the expected JSON, in words
 * @param ofText makes a value of a string, or of the text of a number
 * @param takes whether JSON other than a string may be such a value
 * @param write writes a value that {@code ofText} made
 * @param read reads a value, as JSON
 * @param none the value of an absent member; null if absence is an error
 */
public record JdkType(
    String expected,
    Function<String, Object> ofText,
    Function<JsonNode, Boolean> takes,
    BiConsumer<WireOut, Object> write,
    Function<WireIn, JsonNode> read,
    @Nullable JsonNode none) {
  /**
   * Writes a value.
   *
   * @throws WrongJsonException if the JSON does not fit this type
   */
  void write(WireOut out, JsonNode value) {
    if (!value.isTextual() && !takes.apply(value)) {
      throw WrongJsonException.expected(expected, value);
    }
    Object made;
    try {
      made = ofText.apply(value.asText());
    } catch (IllegalArgumentException | DateTimeException e) {
      throw WrongJsonException.expected(expected, value);
    }
    write.accept(out, made);
  }

  /** Makes a type; the parameters are the record's. */
  @SuppressWarnings("unchecked") // write takes the values that ofText makes
  static <T> JdkType of(
      String expected,
      Function<String, T> ofText,
      Function<JsonNode, Boolean> takes,
      BiConsumer<WireOut, T> write,
      Function<WireIn, JsonNode> read,
      @Nullable JsonNode none) {
    return new JdkType(
        expected,
        (Function<String, Object>) ofText,
        takes,
        (BiConsumer<WireOut, Object>) (BiConsumer<WireOut, ?>) write,
        read,
        none);
  }
}
