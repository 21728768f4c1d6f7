package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.verbena.codec.json.Json;
import io.verbena.core.VerbenaServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The document that describes a server's contracts. */
@Timeout(60)
class OpenApiTest {
  private static JsonNode document;
  private static HttpResponse<String> page;

  @BeforeAll
  static void read() throws Exception {
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .gateway(new HttpGateway())
                .serve(StoreRpc.bind(new MemoryStore()))
                .start();
        HttpClient http = HttpClient.newHttpClient()) {
      URI at = URI.create("http://127.0.0.1:" + server.address().getPort());
      String text =
          http.send(
                  HttpRequest.newBuilder(at.resolve("/openapi.json")).build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      document = Json.parse(text);
      Files.writeString(Path.of("target", "openapi.json"), text);
      page =
          http.send(
              HttpRequest.newBuilder(at.resolve("/")).build(),
              HttpResponse.BodyHandlers.ofString());
    }
  }

  private static JsonNode at(String pointer) {
    return document.at(pointer);
  }

  @Test
  void hasEachMethodThatCanBeCalled() {
    assertThat(at("/openapi").asText()).isEqualTo("3.1.0");
    assertThat(at("/paths").fieldNames())
        .toIterable()
        .contains("/store.v1/get", "/store.v1/count", "/store.v1/note")
        .doesNotContain("/store.v1/picture");
    assertThat(at("/paths/~1store.v1~1get/post/operationId").asText()).isEqualTo("store.v1.get");
  }

  @Test
  void saysWhatTypesAre() {
    assertThat(at("/components/schemas/Colour/enum")).hasToString("[\"RED\",\"GREEN\"]");
    JsonNode packing = at("/components/schemas/Packing");
    assertThat(packing.at("/properties/Box/$ref").asText()).isEqualTo("#/components/schemas/Box");
    assertThat(packing.at("/maxProperties").asInt()).isOne();
    JsonNode value = at("/components/schemas/Value/properties");
    assertThat(value.at("/version/format").asText()).isEqualTo("int64");
    assertThat(value.at("/since/anyOf/0/format").asText()).isEqualTo("date");
    assertThat(value.at("/since/anyOf/1/type").asText()).isEqualTo("null");
    assertThat(value.at("/counts/additionalProperties/type").asText()).isEqualTo("integer");
    assertThat(value.at("/bytes/contentEncoding").asText()).isEqualTo("base64");
  }

  @Test
  void saysWhatIsAnswered() {
    String get = "/paths/~1store.v1~1get/post/responses";
    assertThat(at(get + "/200/content/application~1json/schema/$ref").asText()).endsWith("/Value");
    String declared = at(get + "/422/content/application~1json/schema/oneOf/0/$ref").asText();
    assertThat(at(declared.substring(1) + "/properties/details/$ref").asText())
        .endsWith("NoSuchKey");
    assertThat(at("/paths/~1store.v1~1count/post/responses/200/content").fieldNames())
        .toIterable()
        .containsExactly("application/x-ndjson", "text/event-stream");
    assertThat(at("/paths/~1store.v1~1put/post/responses").fieldNames())
        .toIterable()
        .containsExactly("204", "default");
  }

  @Test
  void aTypeMayBeCalledFailure() {
    String last = "/paths/~1store.v1~1last/post/responses";
    String schema = "/content/application~1json/schema/$ref";
    assertThat(at(at(last + "/200" + schema).asText().substring(1) + "/properties").fieldNames())
        .toIterable()
        .containsExactly("cause");
    assertThat(
            at(at(last + "/default" + schema).asText().substring(1) + "/properties").fieldNames())
        .toIterable()
        .contains("status", "message");
  }

  @Test
  void everyReferenceLeadsSomewhere() {
    List<JsonNode> references = document.findValues("$ref");
    assertThat(references)
        .isNotEmpty()
        .allSatisfy(
            one -> assertThat(at(one.asText().substring(1)).isObject()).as(one.asText()).isTrue());
  }

  @Test
  void thePageLoadsNothingFromElsewhere() {
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
        .contains("default-src 'none'", "frame-ancestors 'none'");
    assertThat(page.body()).doesNotContain("src=", "@import").doesNotContain("https://");
  }
}
