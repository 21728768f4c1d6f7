package io.verbena.codec.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Parses and prints JSON. Numbers keep all their digits. */
public final class Json {
  /** An array without elements. */
  public static final ArrayNode EMPTY = JsonNodeFactory.instance.arrayNode();

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              new JsonFactoryBuilder()
                  // Otherwise thousands of names, of up to 50,000 characters, are kept for ever.
                  .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                  .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                  .characterEscapes(new TerminalEscapes())
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

  private static final ObjectReader TREES =
      MAPPER
          .reader()
          .without(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .without(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

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
    return text(MAPPER.writer(), value);
  }

  /** Returns a value in several lines, for people. */
  public static String pretty(JsonNode value) {
    return text(PRETTY, value);
  }

  /** Through bytes, because the writer of characters has no escapes for pairs of surrogates. */
  private static String text(ObjectWriter writer, JsonNode value) {
    try {
      return new String(writer.writeValueAsBytes(value), StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree is always JSON", e);
    }
  }

  /**
   * Returns a writer of JSON in one line. It writes to the output in pieces of a few KiB, and the
   * last when it is closed.
   */
  public static JsonGenerator writer(OutputStream out) throws IOException {
    return MAPPER.createGenerator(out);
  }

  static void write(JsonNode value, JsonGenerator out) throws IOException {
    MAPPER.writeTree(out, value);
  }

  static TokenBuffer tokens() {
    return new TokenBuffer(MAPPER, false);
  }

  /** Returns the tree of tokens; numbers keep their types. */
  static JsonNode tree(TokenBuffer tokens) throws IOException {
    try (JsonParser parser = tokens.asParser()) {
      return TREES.readTree(parser);
    }
  }
}
