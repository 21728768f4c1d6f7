package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import io.verbena.codec.json.Json;
import io.verbena.core.VerbenaServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each answer is what the document says, as a validator of JSON Schema judges. */
@Timeout(60)
class AnswersFitTheDocumentTest {
  private static final String NUMBERS =
      """
      {"flag":true,"tiny":-128,"small":32767,"middle":2147483647,"large":9007199254740993,"single":0.5,
      "twice":1e300,"letter":"x","integer":123456789012345678901234567890,"decimal":0.10}\
      """
          .replace("\n", "");
  private static final String UNUSUAL =
      """
      {"flag":false,"tiny":2.0,"small":1e2,"middle":-0.0,"large":"9223372036854775807","single":"NaN",
      "twice":"-Infinity","letter":"\\u0000","integer":1E3,"decimal":-1e-5}\
      """
          .replace("\n", "");

  private static VerbenaServer server;
  private static HttpClient http;

  @BeforeAll
  static void start() {
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .gateway(new HttpGateway())
            .serve(EveryRpc.bind(new EchoEvery()))
            .start();
    http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:" + server.address().getPort() + path));
  }

  private static String document(String longs) throws Exception {
    HttpRequest request = to("/openapi.json").header("Verbena-Longs", longs).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private static HttpResponse<String> post(String method, String body, String longs)
      throws Exception {
    return http.send(
        to("/every.v1/" + method)
            .header("Verbena-Longs", longs)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** The schema of an answer, in the document. */
  private static JsonSchema schema(String document, String method, String status, String type) {
    String at =
        "/paths/~1every.v1~1%s/post/responses/%s/content/%s/schema"
            .formatted(method, status, type.replace("/", "~1"));
    assertThat(Json.parse(document).at(at).isObject()).as(at).isTrue();
    return JsonSchemaFactory.getInstance(
            SpecVersion.VersionFlag.V202012,
            builder -> builder.schemaLoaders(loaders -> loaders.schemas(Map.of("urn:x", document))))
        .getSchema(SchemaLocation.of("urn:x#" + at));
  }

  static Stream<String> calls() {
    return Stream.of(
            "numbers " + NUMBERS,
            "numbers " + UNUSUAL,
            """
            times {"instant":"2030-01-31T12:00:00.000000001Z","duration":"PT-1.5S","period":"P1Y2M3D",
            "date":"2030-03-15","time":"23:59:59.5","dateTime":"2030-01-31T12:00","offsetDateTime":"2030-01-31T12:00+01:00",
            "zone":"Europe/Berlin","year":"2030","uuid":"00112233-4455-6677-8899-aabbccddeeff"}""",
            """
            containers {"list":["a",""],"set":[1,9007199254740993],"byName":{"p":%s},"byNumber":{"-7":"RED"},
            "byPoint":[[{"x":1,"y":2},"GREEN"]],"maybe":{"x":0,"y":0},"number":5,"grid":[[1,2],[],[3]]}"""
                .formatted(NUMBERS),
            """
            containers {"list":[],"set":[],"byName":{},"byNumber":{},"byPoint":[],"maybe":null,"number":null,"grid":[]}""",
            """
            figure {"Circle":{"center":{"x":1,"y":2},"radius":0.5}}""",
            """
            figure {"Nothing":{}}""",
            "half 3",
            "half \"NaN\"",
            "bytes \"AQID\"",
            "likeIt {\"number\":1}",
            """
            tree {"value":"a","children":[{"value":"b","children":[]}]}""")
        .map(call -> call.replace("\n", ""))
        .flatMap(call -> Stream.of("number " + call, "text " + call));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void anAnswerIsWhatTheDocumentSays(String call) throws Exception {
    String[] words = call.split(" ", 3);
    HttpResponse<String> answer = post(words[1], "[" + words[2] + "]", words[0]);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonSchema schema = schema(document(words[0]), words[1], "200", "application/json");
    assertThat(schema.validate(answer.body(), InputFormat.JSON)).as(answer.body()).isEmpty();
  }

  @Test
  void anItemOfAStreamIsWhatTheDocumentSays() throws Exception {
    HttpResponse<String> answer = post("stream", "[" + NUMBERS + ",3]", "number");
    JsonSchema schema = schema(document("number"), "stream", "200", "application/x-ndjson");
    assertThat(answer.body().lines()).hasSize(3);
    assertThat(answer.body().lines())
        .allSatisfy(line -> assertThat(schema.validate(line, InputFormat.JSON)).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void exceptionsOfOneShapeAreToldApart(boolean first) throws Exception {
    HttpResponse<String> answer = post("fail", "[" + first + "]", "number");
    assertThat(answer.statusCode()).isEqualTo(422);
    String document = document("number");
    JsonSchema schema = schema(document, "fail", "422", "application/json");
    // One of two fits, or 'oneOf' would be violated.
    assertThat(schema.validate(answer.body(), InputFormat.JSON)).as(answer.body()).isEmpty();
    JsonNode told = Json.parse(answer.body());
    JsonNode declared =
        Json.parse(document)
            .at("/paths/~1every.v1~1fail/post/responses/422/content/application~1json/schema");
    String leadsTo =
        declared.path("discriminator").path("mapping").path(told.path("type").asText()).asText();
    JsonNode one = Json.parse(document).at(leadsTo.substring(1));
    assertThat(one.at("/properties/type/enum/0").asText())
        .isEqualTo(told.path("type").asText())
        .endsWith(first ? "Lost" : "Broken");
    assertThat(one.path("required").toString()).contains("details", "type");
  }

  @Test
  void aResultMayHaveMoreMembersAndArgumentsMayNot() throws Exception {
    String document = document("number");
    JsonSchema schema = schema(document, "likeIt", "200", "application/json");
    assertThat(schema.validate("{\"text\":\"x\",\"since\":\"later\"}", InputFormat.JSON)).isEmpty();
    assertThat(schema.validate("{\"since\":\"later\"}", InputFormat.JSON)).isNotEmpty();
    assertThat(
            Json.parse(document)
                .at(
                    "/paths/~1every.v1~1half/post/requestBody/content/application~1json/schema"
                        + "/additionalProperties")
                .toString())
        .isEqualTo("false");
  }

  @Test
  void noTwoTypesHaveOneNameAlsoInClients() throws Exception {
    List<String> names =
        Json.parse(document("number")).at("/components/schemas").properties().stream()
            .map(entry -> entry.getKey().replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT))
            .toList();
    assertThat(new TreeSet<>(names)).hasSameSizeAs(names);
    assertThat(names).contains("likeit", "likeit2");
  }

  @Test
  void longNumbersAreTextForWhoAsks() throws Exception {
    assertThat(post("numbers", "[" + NUMBERS + "]", "text").body())
        .contains(
            "\"large\":\"9007199254740993\"", "\"decimal\":\"0.10\"", "\"middle\":2147483647");
    assertThat(post("numbers", "[" + NUMBERS + "]", "number").body())
        .contains("\"large\":9007199254740993", "\"decimal\":0.10");
    assertThat(post("half", "[1]", "maybe").statusCode()).isEqualTo(400);
    assertThat(
            Json.parse(document("text"))
                .at("/components/schemas/Numbers/properties/large")
                .toString())
        .contains("\"type\":\"string\"", "\"format\":\"int64\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2.5", "1e99", "1e999999999", "1e-999999999", "\"x\"", "128", "null"})
  void whatIsNoWholeNumberIsRefused(String number) throws Exception {
    HttpResponse<String> answer =
        post("numbers", "[" + NUMBERS.replace("-128", number) + "]", "number");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(answer.body()).contains("value.tiny");
  }
}
