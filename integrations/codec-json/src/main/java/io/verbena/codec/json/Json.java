package io.verbena.codec.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.verbena.api.settings.OneLine;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and prints JSON. Numbers keep all their digits. */
public final class Json {
  /** An array without elements. */
  public static final ArrayNode EMPTY = JsonNodeFactory.instance.arrayNode();

  /** Characters that Jackson does not escape, and that a terminal may take for commands. */
  private static final Pattern CONTROLS = Pattern.compile("[\\x7f-\\x9f\\p{Cf}\\p{Zl}\\p{Zp}]");

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  // Otherwise thousands of names, of up to 50,000 characters, are kept for ever.
                  .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private static final ObjectWriter PRETTY =
      MAPPER.writer(
          new DefaultPrettyPrinter(
              Separators.createDefaultInstance()
                  .withObjectFieldValueSpacing(Separators.Spacing.AFTER)));

  private Json() {}

  /**
   * Parses one value.
   *
   * @throws WrongJsonException if the text is not one JSON value
   */
  public static JsonNode parse(String text) {
    try {
      JsonNode value = MAPPER.readTree(text);
      if (value == null || value.isMissingNode()) {
        throw WrongJsonException.of("the text is empty, so it is not JSON");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw WrongJsonException.of(JsonWords.of(e));
    } catch (NumberFormatException e) { // from an exponent out of BigDecimal's range
      throw WrongJsonException.of("a number is out of range");
    }
  }

  /** Returns a value in one line. */
  public static String line(JsonNode value) {
    return safe(MAPPER.writer(), value);
  }

  /** Returns a value in several lines, for people. */
  public static String pretty(JsonNode value) {
    return safe(PRETTY, value);
  }

  private static String safe(ObjectWriter writer, JsonNode value) {
    try {
      return CONTROLS
          .matcher(writer.writeValueAsString(value))
          .replaceAll(found -> Matcher.quoteReplacement(OneLine.of(found.group())));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree is always JSON", e);
    }
  }
}
