package io.verbena.codec.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says why a text is not JSON, in words for its writer. The parser's words are for programmers. */
final class JsonWords {
  /** A message of the parser, and its replacement. {@code $1} is the first group of the pattern. */
  private record Rule(Pattern its, String ours) {
    static Rule of(String its, String ours) {
      return new Rule(Pattern.compile(its, Pattern.DOTALL), ours);
    }
  }

  private static final List<Rule> RULES =
      List.of(
          Rule.of("Unexpected end-of-input.*\\bObject\\b.*", "the object is not closed"),
          Rule.of("Unexpected end-of-input.*\\bArray\\b.*", "the array is not closed"),
          Rule.of("Unexpected end-of-input.*\\bstring\\b.*", "the string is not closed"),
          Rule.of("Unexpected end-of-input.*", "it ends too early"),
          Rule.of(
              "Trailing token.*",
              "more text follows the value; write the items of a stream one a line"),
          Rule.of("Duplicate field '(.*)' for .*", "the member '$1' occurs twice"),
          Rule.of(
              "Unexpected close marker ('.').*(no open|\\(for root).*",
              "$1 has no opening bracket"),
          Rule.of("Unexpected close marker ('.')\\S* expected ('.').*", "$2 must come before $1"),
          Rule.of(
              "Unrecognized token ('[^']*').*", "$1 is not a value; put strings in double quotes"),
          Rule.of("Non-standard token '([^']*)'.*", "write '$1' as a string, in double quotes"),
          Rule.of("Unexpected character \\((.*) \\(code \\d+\\)\\): maybe a.*", "$1 is unexpected"),
          Rule.of("Unexpected character \\((.*) \\(code \\d+\\)\\):? (.*)", "$1 is unexpected: $2"),
          Rule.of("Illegal unquoted character \\(.*", "a control character must be escaped"));

  private JsonWords() {}

  /** Returns the fault, and its place. */
  static String of(JsonProcessingException failure) {
    String place = place(failure.getLocation());
    return "not JSON: " + what(failure) + (place.isEmpty() ? "" : " (" + place + ")");
  }

  private static String what(JsonProcessingException failure) {
    if (failure instanceof StreamConstraintsException) {
      return "it nests too deep, or has a number with too many digits";
    }
    String its = String.valueOf(failure.getOriginalMessage());
    for (Rule rule : RULES) {
      Matcher matcher = rule.its().matcher(its);
      if (matcher.matches()) {
        return matcher.replaceFirst(rule.ours());
      }
    }
    // The parser quotes names of its settings by backquotes.
    return its.contains("`") ? "it is malformed" : its;
  }

  private static String place(@Nullable JsonLocation at) {
    return at == null || at.getLineNr() < 0
        ? ""
        : "line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
  }
}
