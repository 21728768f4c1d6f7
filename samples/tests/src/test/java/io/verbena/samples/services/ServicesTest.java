package io.verbena.samples.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A customer buys again and again from processes that find each other in ZooKeeper, while one of
 * two stocks is asked to end.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("long")
class ServicesTest {
  private static final List<String> WAY =
      List.of(
          "customer CLIENT shop.v1/buy",
          "shop SERVER shop.v1/buy",
          "shop CLIENT stock.v1/take",
          "stock SERVER stock.v1/take",
          "stock CLIENT warehouse.v1/fetch",
          "warehouse SERVER warehouse.v1/fetch");
  private static final String CALLS = "rpc_server_call_duration_seconds_count";

  private final List<Program> programs = new ArrayList<>();
  private final List<SpanLine> spans = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private final Map<String, Double> served = new HashMap<>();
  private double readyBefore;
  private double readyAfter;
  private double callsOfChannel;
  private double callsOfCustomer;
  private String lastWords = "";
  private int exitOfCustomer;
  private int exitOfStock;

  private Program start(Path logs, String registry, Class<?> program, String... arguments)
      throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--registry", registry));
    Path log = logs.resolve(program.getSimpleName() + programs.size() + ".log");
    programs.add(Program.start(log, program, all.toArray(String[]::new)));
    return programs.getLast();
  }

  @BeforeAll
  void buyWhileOneOfTwoStocksEnds(@TempDir Path logs) throws Exception {
    try (TestingServer zookeeper = new TestingServer()) {
      String registry = "zookeeper://" + zookeeper.getConnectString() + "/verbena";
      String[] anywhere = {"--listen", "127.0.0.1:0"};
      Program shop = start(logs, registry, ShopService.class, anywhere);
      Program stock = start(logs, registry, StockService.class, anywhere);
      Program leaving = start(logs, registry, StockService.class, anywhere);
      Program warehouse = start(logs, registry, WarehouseService.class, anywhere);
      for (Program program : List.copyOf(programs)) {
        program.awaitStart();
      }
      Program customer =
          start(logs, registry, Customer.class, "verbena", "1", "--buyers", "2").awaitStart();
      awaitServed(stock, 20);
      awaitServed(leaving, 20);
      readyBefore = ready(shop);
      leaving.terminate();
      exitOfStock = leaving.awaitEnd();
      readyAfter = ready(shop);
      awaitServed(stock, 20 + calls(stock));
      served.put("shop", calls(shop));
      served.put("stock", calls(stock));
      served.put("warehouse", calls(warehouse));
      callsOfChannel = shop.metric("verbena_channel_calls_total", "stock");
      callsOfCustomer = customer.metric("rpc_client_call_duration_seconds_count", "shop.v1/buy");
      customer.pressEnter();
      lastWords = customer.line();
      exitOfCustomer = customer.awaitEnd();
      for (Program program : programs) {
        program.terminate(); // all at once: they have nothing to do
      }
      for (Program program : programs) {
        int _ = program.awaitEnd();
      }
      keepLogs();
    } finally {
      programs.forEach(Program::close);
    }
  }

  private void keepLogs() throws IOException {
    for (Program program : programs) {
      String log = program.log();
      spans.addAll(SpanLine.of(log));
      log.lines().filter(line -> !line.startsWith("trace=")).forEach(complaints::add);
    }
  }

  private static void awaitServed(Program program, double calls) {
    await().atMost(Duration.ofMinutes(1)).until(() -> calls(program) >= calls);
  }

  private static double calls(Program program) throws Exception {
    return program.metric(CALLS, "OK");
  }

  private static double ready(Program shop) throws Exception {
    return shop.metric("verbena_channel_endpoints", "ready");
  }

  @AfterAll
  void end() {
    programs.forEach(Program::close);
  }

  @Test
  void noCallFails() {
    assertThat(lastWords).as("%s", complaints).matches("[1-9]\\d+ calls, 0 failed");
    assertThat(exitOfCustomer).isZero();
  }

  @Test
  void theShopsChannelCountsTheStocksThatAreThere() {
    assertThat(readyBefore).isEqualTo(2);
    assertThat(exitOfStock).isEqualTo(143); // by SIGTERM
    assertThat(readyAfter).isEqualTo(1);
  }

  @Test
  void eachProcessTellsItsMetrics() {
    assertThat(served).allSatisfy((name, calls) -> assertThat(calls).as(name).isGreaterThan(40));
    assertThat(callsOfChannel).isGreaterThan(40);
    assertThat(callsOfCustomer).isGreaterThan(40);
  }

  @Test
  void oneTraceCrossesThemAll() {
    Map<String, SpanLine> byParent = new HashMap<>();
    spans.forEach(span -> byParent.putIfAbsent(span.trace() + span.parent(), span));
    List<List<String>> ways =
        spans.stream()
            .filter(span -> span.parent().equals("none"))
            .map(span -> way(span, byParent))
            .toList();
    assertThat(ways).contains(WAY);
    assertThat(ways).allSatisfy(way -> assertThat(WAY).startsWith(way.toArray(String[]::new)));
  }

  /** Follows a trace from its root, from each span to its child. */
  private static List<String> way(SpanLine root, Map<String, SpanLine> byParent) {
    List<String> way = new ArrayList<>();
    for (SpanLine at = root; at != null; at = byParent.get(at.trace() + at.id())) {
      way.add(at.where());
    }
    return way;
  }
}
