package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.stub.ServiceBinding;
import io.verbena.codec.json.Json;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.contract.Everything;
import io.verbena.testkit.contract.EverythingRpc;
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
    Everything same =
        (Everything)
            Proxy.newProxyInstance(
                Everything.class.getClassLoader(),
                new Class<?>[] {Everything.class},
                (proxy, method, arguments) -> arguments[0]);
    ServiceBinding binding = EverythingRpc.bind(same);
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
        "[" + value + "]", server.address().getAuthority(), "everything.v1." + method, "-");
  }

  static List<String> values() {
    return List.of(
        """
        numbers {"a": true, "b": -128, "c": 32767, "d": "ß", "e": -2147483648,
          "f": 9223372036854775807, "g": 1.5, "h": 1.0E-300, "boxedA": false, "boxedB": 127,
          "boxedC": -32768, "boxedD": "a", "boxedE": 0, "boxedF": -9223372036854775808,
          "boxedG": "NaN", "boxedH": "-Infinity"}""",
        """
        exact {"uuid": "00112233-4455-6677-8899-aabbccddeeff", "decimal": 1.10,
          "integer": 123456789012345678901234567890}""",
        """
        exact {"uuid": "00112233-4455-6677-8899-aabbccddeeff", "decimal": 1E+1000000,
          "integer": -1}""",
        """
        times {"instant": "2030-01-31T12:00:00.000000001Z", "duration": "PT-1.5S",
          "period": "P1Y2M3D", "date": "-0044-03-15", "time": "23:59:59.500",
          "dateTime": "2030-01-31T12:00", "offset": "+01:00",
          "offsetDateTime": "2030-01-31T12:00+01:00", "offsetTime": "12:00Z", "year": "2030",
          "yearMonth": "2030-01", "monthDay": "--02-29", "day": "FRIDAY"}""",
        """
        zones {"zone": "Europe/Berlin", "dateTime": "2030-07-31T12:00+02:00[Europe/Berlin]"}""",
        """
        wrapped {"bytes": "AAEC/w==", "buffer": "", "segment": "aGVsbG8="}""",
        """
        sheet {"list": ["a", ""], "set": [1, 2], "collection": ["RED"],
          "map": {"-7": {"width": 1, "length": 2}}, "optional": null, "optionalInt": 1,
          "optionalLong": null, "optionalDouble": 0.5, "holes": [null, "b"], "widths": [1.5],
          "bytes": "AAEC/w==", "buffer": "aGVsbG8=", "latin": "A3ZpYQ==",
          "deep": [{"RED": ["x"]}]}""",
        """
        index {"p": [{"width": 1, "length": 2}, null], "": []}""",
        """
        grid [[1, 2], [], [3]]""",
        """
        plant {"Herb": {"name": "viola", "leaf": {"width": 1, "length": 2}, "colour": "VIOLET"}}""",
        """
        plant {"Tree": {"Conifer": {"height": 2.0}}}""",
        """
        plant {"Moss": "CUSHION"}""",
        """
        taxon {"name": "a", "below": [{"name": "b", "below": []}]}""",
        """
        money "zAE=\"""",
        """
        money null""",
        """
        label {"text": "me", "number": -5, "faded": true, "remarks": ["r"]}""",
        """
        account {"name": "me", "notes": null}""",
        """
        result {"Ok": {"value": 5}}""",
        """
        result {"Failed": {"why": "so"}}""",
        """
        scan "aGVsbG8=\"""",
        """
        name null""",
        """
        byLeaf [[{"width": 1, "length": 2}, "RED"], [{"width": 0, "length": 0}, null]]""",
        """
        maybes {"leaf": {"width": 1, "length": 2}, "list": [1], "number": 1, "large": 2,
          "broken": 0.5, "text": "t"}""",
        """
        maybes {"leaf": null, "list": null, "number": null, "large": null, "broken": null,
          "text": null}""");
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
    Shell.Run run = call("scan", value);
    assertThat(run.err()).isEmpty();
    assertThat(run.out().strip().equals(value)).isTrue();
  }

  @Test
  void mayBeLeftOutWhereItHasADefault() {
    assertThat(Json.line(Json.parse(call("maybes", "{}").out())))
        .isEqualTo(
            "{\"leaf\":null,\"list\":null,\"number\":null,\"large\":null,\"broken\":null,\"text\":null}");
    assertThat(call("label", "{\"text\": \"me\"}").out()).contains("\"number\": 0");
    assertThat(call("plant", "{\"Moss\": 1}").err())
        .contains("value.Moss: expected one of PEAT, CUSHION, not 1");
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
    String uuid = "\"uuid\": \"00112233-4455-6677-8899-aabbccddeeff\", ";
    for (String name : List.of("integer", "decimal")) {
      String rest = name.equals("integer") ? uuid + "\"decimal\": 1, " : uuid;
      String long_ = "{%s\"%s\": \"%s\"}".formatted(rest, name, "9".repeat(1001));
      Shell.Run run = call("exact", long_);
      assertThat(run.err()).contains("value." + name + ": expected");
    }
  }

  static List<String> wrongValues() {
    return List.of(
        "scan @ \"%\" @ value: expected bytes as base64, not \"%\"",
        "scan @ 7 @ value: expected bytes as base64, not 7",
        "money @ {} @ money: expected the bytes that the serializer of Money writes",
        "plant @ {\"Cube\": {}} @ value: expected an object of one member, which is one of Herb",
        "plant @ {\"Herb\": {\"name\": \"a\"}} @ value.Herb.leaf: is missing; its type is Leaf",
        "plant @ {} @ value: expected an object of one member",
        "plant @ {\"Tree\": {\"Conifer\": {\"height\": \"a\"}}} @ value.Tree.Conifer.height: expected a number",
        "byLeaf @ [[1]] @ map[0]: expected a pair [key, value], not [1]",
        "byLeaf @ {} @ map: expected an array of pairs",
        "numbers @ {\"a\": 1} @ value.a: expected true or false, not 1",
        "numbers @ {\"d\": \"ab\"} @ value.d: expected a string of one character",
        "numbers @ {\"g\": 1e300} @ value.g: expected a number (float)",
        "numbers @ {\"h\": 1e99999999999} @ a number is out of range",
        "times @ {\"instant\": \"now\"} @ value.instant: expected an instant such as",
        "sheet @ {\"map\": {\"x\": {}}} @ [\"x\"]: expected a whole number",
        "taxon @ {\"name\": \"a\", \"below\": [{}]} @ value.below[0].name: is missing");
  }
}
