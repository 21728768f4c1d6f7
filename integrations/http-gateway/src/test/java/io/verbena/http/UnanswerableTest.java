package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A method never runs with an argument that it could not return: what runs is answered. */
@Timeout(60)
class UnanswerableTest {
  private final AtomicInteger runs = new AtomicInteger();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("127.0.0.1:0")
          .gateway(new HttpGateway(HttpSettings.DEFAULT))
          .serve(MirrorRpc.bind(new Counting()))
          .start();

  private final class Counting implements Mirror {
    @Override
    public Nested nested(Nested value) {
      runs.incrementAndGet();
      return value;
    }

    @Override
    public BigInteger whole(BigInteger value) {
      runs.incrementAndGet();
      return value;
    }

    @Override
    public BigDecimal decimal(BigDecimal value) {
      runs.incrementAndGet();
      return value;
    }

    @Override
    public Branches branches(Branches value) {
      runs.incrementAndGet();
      return value;
    }
  }

  @BeforeEach
  void startsWithoutARun() {
    assertThat(runs).hasValue(0);
  }

  @AfterEach
  void close() {
    http.shutdownNow();
    server.close();
  }

  private HttpResponse<String> post(String method, String value)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + "/mirror.v1/" + method);
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .POST(HttpRequest.BodyPublishers.ofString("{\"value\":" + value + "}"))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @ParameterizedTest
  @CsvSource({"100", "150", "198", "199", "200", "201", "250", "330"})
  void valuesThatNest(int depth) throws Exception {
    String nested = "{\"next\":".repeat(depth) + "null" + "}".repeat(depth);
    isAnsweredOrRefused(post("nested", nested), nested);
  }

  @ParameterizedTest
  @CsvSource({"100", "133", "199", "200", "201", "249"})
  void listsAndMapsThatNest(int depth) throws Exception {
    String leaf = "{\"list\":[],\"map\":{}}";
    String lists = "{\"list\":[".repeat(depth) + leaf + "],\"map\":{}}".repeat(depth);
    isAnsweredOrRefused(post("branches", lists), lists);
    runs.set(0);
    String maps = "{\"list\":[],\"map\":{\"k\":".repeat(depth) + leaf + "}}".repeat(depth);
    isAnsweredOrRefused(post("branches", maps), maps);
  }

  @ParameterizedTest
  @CsvSource({"1", "900", "960", "963", "964", "970", "1000", "1001", "2000"})
  void longNumbers(int digits) throws Exception {
    for (String value : new String[] {"9".repeat(digits), "-" + "9".repeat(digits)}) {
      for (String method : new String[] {"whole", "decimal"}) {
        runs.set(0);
        isAnsweredOrRefused(post(method, value), value);
        runs.set(0);
        isAnsweredOrRefused(post(method, '"' + value + '"'), value);
      }
    }
  }

  private void isAnsweredOrRefused(HttpResponse<String> response, String value) {
    if (runs.get() == 1) {
      assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
      assertThat(response.body().strip()).isEqualTo(value);
    } else {
      assertThat(runs).hasValue(0);
      assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
      assertThat(response.body()).contains("INVALID_ARGUMENT");
    }
  }
}
