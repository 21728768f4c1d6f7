package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.stub.ServiceBinding;
import io.verbena.codec.json.Json;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaServer;
import java.lang.reflect.Proxy;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of type, to a server of generated code and back. */
@Timeout(60)
class KindsTest {
  private static VerbenaServer server;

  @BeforeAll
  static void start() {
    Kinds same =
        (Kinds)
            Proxy.newProxyInstance(
                Kinds.class.getClassLoader(),
                new Class<?>[] {Kinds.class},
                (proxy, method, arguments) -> arguments[0]);
    ServiceBinding binding = KindsRpc.bind(same);
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .path(PathPolicy.TCP_ONLY)
            .serve(binding)
            .start();
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static Shell.Run call(String method, String value) {
    return Shell.callWith(
        "[" + value + "]", server.address().getAuthority(), "kinds.v1." + method, "-");
  }

  static List<String> values() {
    return List.of(
        """
        numbers {"flag": true, "one": -128, "two": 32767, "letter": "ß", "four": -2147483648,
          "eight": 9223372036854775807, "single": 1.5, "twice": 1.0E-300,
          "integer": 123456789012345678901234567890, "decimal": 1.10}""",
        """
        numbers {"flag": false, "one": 0, "two": 0, "letter": "a", "four": 0, "eight": 0,
          "single": "NaN", "twice": "-Infinity", "integer": -1, "decimal": 1E+1000000}""",
        """
        times {"instant": "2030-01-31T12:00:00.000000001Z", "duration": "PT-1.5S",
          "period": "P1Y2M3D", "date": "-0044-03-15", "time": "23:59:59.500",
          "dateTime": "2030-01-31T12:00", "offset": "+01:00", "zone": "Europe/Berlin",
          "offsetDateTime": "2030-01-31T12:00+01:00", "offsetTime": "12:00Z",
          "zonedDateTime": "2030-07-31T12:00+02:00[Europe/Berlin]", "year": "2030",
          "yearMonth": "2030-01", "monthDay": "--02-29",
          "uuid": "00112233-4455-6677-8899-aabbccddeeff"}""",
        """
        payload {"bytes": "AAEC/w==", "buffer": "", "segment": "aGVsbG8="}""",
        """
        containers {"list": ["a", ""], "set": [1, 2], "collection": ["GREEN"],
          "byName": {"p": [{"x": 1, "y": 2}], "": []}, "byNumber": {"-7": "RED"},
          "byColor": {"GREEN": {"x": 0, "y": 0}}, "grid": [[1, 2], [], [3]], "holes": [null, "b"]}""",
        """
        shape {"Circle": {"center": {"x": 1, "y": 2}, "radius": 0.5}}""",
        """
        shape {"Polygon": {"Square": {"side": 2.0}}}""",
        """
        shape {"Unit": "CIRCLE"}""",
        """
        tree {"value": "a", "children": [{"value": "b", "children": []}]}""",
        """
        money "zAE=\"""",
        """
        money null""",
        """
        account {"owner": "me", "balance": -5}""",
        """
        result {"Ok": {"value": 5}}""",
        """
        result {"Failed": {"why": "so"}}""",
        """
        bytes "aGVsbG8=\"""",
        """
        byPoint [[{"x": 1, "y": 2}, "RED"], [{"x": 0, "y": 0}, "GREEN"]]""",
        """
        maybes {"point": {"x": 1, "y": 2}, "number": 1, "large": 2, "broken": 0.5, "text": "t"}""",
        """
        maybes {"point": null, "number": null, "large": null, "broken": null, "text": null}""");
  }

  @ParameterizedTest
  @MethodSource("values")
  void comesBackAsItWas(String line) {
    String value = line.substring(line.indexOf(' ') + 1);
    Shell.Run run = call(line.substring(0, line.indexOf(' ')), value);
    assertThat(run.err()).isEmpty();
    assertThat(Json.line(Json.parse(run.out()))).isEqualTo(Json.line(Json.parse(value)));
  }

  @Test
  void isLargeBesideItsMessage() {
    byte[] large = new byte[3 << 20];
    String value = "\"" + Base64.getEncoder().encodeToString(large) + "\"";
    Shell.Run run = call("bytes", value);
    assertThat(run.err()).isEmpty();
    assertThat(run.out().strip().equals(value)).isTrue();
  }

  @Test
  void mayBeLeftOutWhereItHasADefault() {
    assertThat(Json.line(Json.parse(call("maybes", "{}").out())))
        .isEqualTo("{\"point\":null,\"number\":null,\"large\":null,\"broken\":null,\"text\":null}");
    assertThat(call("account", "{\"owner\": \"me\"}").out()).contains("\"balance\": 0");
    assertThat(call("shape", "{\"Unit\": 1}").err())
        .contains("value.Unit: expected one of SQUARE, CIRCLE, not 1");
  }

  @ParameterizedTest
  @MethodSource("wrongValues")
  void isRefusedWhereItIsNone(String line) {
    String[] words = line.split(" @ ", 3);
    Shell.Run run = call(words[0], words[1]);
    assertThat(run.err()).contains(words[2]);
    assertThat(run.exit()).isEqualTo(2);
  }

  /** Its time grows with the square of its digits. */
  @Test
  void isRefusedWhereANumberHasNoEndOfDigits() {
    for (String name : List.of("integer", "decimal")) {
      String rest = name.equals("integer") ? "" : "\"integer\": 1, ";
      String long_ = "{%s\"%s\": \"%s\"}".formatted(rest, name, "9".repeat(1001));
      Shell.Run run = call("numbers", long_);
      assertThat(run.err()).contains("value." + name + ": expected");
    }
  }

  static List<String> wrongValues() {
    return List.of(
        "bytes @ \"%\" @ value: expected bytes as base64, not \"%\"",
        "bytes @ 7 @ value: expected bytes as base64, not 7",
        "money @ {} @ value: expected the bytes that the serializer of Money writes",
        "shape @ {\"Cube\": {}} @ value: expected an object of one member, which is one of Circle",
        "shape @ {\"Circle\": {\"radius\": 1}} @ value.Circle.center: is missing; its type is Point",
        "shape @ {} @ value: expected an object of one member",
        "shape @ {\"Polygon\": {\"Square\": {\"side\": \"a\"}}} @ value.Polygon.Square.side: expected a number",
        "byPoint @ [[1]] @ value[0]: expected a pair [key, value], not [1]",
        "byPoint @ {} @ value: expected an array of pairs",
        "numbers @ {\"flag\": 1} @ value.flag: expected true or false, not 1",
        "numbers @ {\"letter\": \"ab\"} @ value.letter: expected a string of one character",
        "numbers @ {\"single\": 1e300} @ value.single: expected a number (float)",
        "numbers @ {\"twice\": 1e99999999999} @ a number is out of range",
        "times @ {\"instant\": \"now\"} @ value.instant: expected an instant such as",
        "containers @ {\"byNumber\": {\"x\": \"RED\"}} @ [\"x\"]: expected a whole number",
        "tree @ {\"value\": \"a\", \"children\": [{}]} @ value.children[0].value: is missing");
  }
}
