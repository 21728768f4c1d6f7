package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.codec.json.Json;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command against a server that knows nothing of it. */
@Timeout(60)
class CallCommandTest {
  private static ShopServer shop;

  @BeforeAll
  static void open() {
    shop = ShopServer.whole();
  }

  @AfterAll
  static void close() {
    shop.close();
  }

  private static Shell.Run call(String... words) {
    return callWith("", words);
  }

  private static Shell.Run callWith(String in, String... words) {
    String[] all = new String[words.length + 1];
    all[0] = shop.address();
    System.arraycopy(words, 0, all, 1, words.length);
    return Shell.callWith(in, all);
  }

  private static String result(Shell.Run run) {
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    return run.out().strip();
  }

  @Test
  void listsServicesWithTheirMethods() {
    assertThat(result(call()).lines())
        .containsSubsequence(
            "shop.back.v1",
            "  String header(String key)",
            "  int count#6()",
            "shop.v1",
            "  Item find(String name) throws NoSuchItem",
            "  long price(List<Order> orders, Optional<Currency> currency)",
            "  Publisher<Item> watch(String name, int most)",
            "  long total(Publisher<int> prices)",
            "  oneway void audit(String what)");
  }

  @Test
  void listsTheTypesOfOneService() {
    assertThat(result(call("shop.v1")).lines())
        .startsWith("shop.v1")
        .contains(
            "  record Item(String name, long price, LocalDate since, Packing packing)",
            "  enum Currency { EUR, USD }",
            "  sealed Packing permits Box, Loose",
            "  record NoSuchItem(String? message, String nearest)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"name\": \"pear\"}", "[\"pear\"]"})
  void callsWithNamesOrInOrder(String arguments) {
    assertThat(Json.parse(result(call("shop.v1.find", arguments))).path("price").asInt())
        .isEqualTo(45);
  }

  @Test
  void readsArgumentsFromTheStandardInput() {
    assertThat(result(callWith("[\n\"pear\"\n]", "shop.v1.find", "-"))).contains("2030-01-31");
  }

  @Test
  void leavesOutWhatHasADefault() {
    String orders = "{\"orders\": [{\"item\": \"pear\", \"pieces\": 2}]}";
    assertThat(result(call("shop.v1.price", orders))).isEqualTo("90");
    assertThat(result(call("shop.v1.price", "{}"))).isEqualTo("0");
  }

  @Test
  void sendsAOneWayCall() throws InterruptedException {
    assertThat(result(call("shop.v1.audit", "[\"sold\"]"))).isEmpty();
    assertThat(shop.audited.poll(10, TimeUnit.SECONDS)).isEqualTo("sold");
  }

  @Test
  void sendsHeadersAlong() {
    assertThat(
            result(
                call("shop.back.v1.header", "[\"who\"]", "-H", "who=me=too", "--header=who=you")))
        .isEqualTo("\"me=too,you\"");
  }

  @Test
  void callsOneOfSeveralMethodsOfAName() {
    assertThat(result(call("shop.back.v1.count#7", "[\"four\"]"))).isEqualTo("4");
    assertThat(call("shop.back.v1.count").err()).contains("several 'count': count#6, count#7");
  }

  @Test
  void tellsADeclaredErrorWithItsMembers() {
    Shell.Run run = call("shop.v1.find", "[\"apple\"]", "--path", "tcp");
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(Json.parse(run.err()))
        .isEqualTo(
            Json.parse(
                """
                {"status": "DECLARED", "message": "no 'apple' here",
                 "type": "shop.Shop.NoSuchItem", "execution": "EXECUTED",
                 "details": {"message": "no 'apple' here", "nearest": "pear"}}"""));
  }

  @Test
  void tellsAnotherFailure() {
    Shell.Run run = call("shop.back.v1.refuse", "[\"not \\u001b you\"]");
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.err())
        .contains("\"status\": \"PERMISSION_DENIED\"", "not \\u001B you", "\"EXECUTED\"");
  }

  @Test
  void endsWithItsTimeOut() {
    Shell.Run run = call("shop.back.v1.sleep", "--timeout", "1s", "--path=tcp");
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.err()).contains("\"status\": \"DEADLINE_EXCEEDED\"");
    assertThat(call("shop.back.v1.silent", "--timeout=1s").err()).contains("DEADLINE_EXCEEDED");
  }

  @Test
  void printsAStreamLineByLine() {
    assertThat(result(call("shop.v1.watch", "{\"name\": \"fig\", \"most\": 300}")).lines())
        .hasSize(300)
        .first()
        .isEqualTo(
            "{\"name\":\"fig\",\"price\":45,\"since\":\"2030-01-31\",\"packing\":{\"Loose\":{}}}");
  }

  @Test
  void readsAStreamLineByLine() {
    assertThat(result(callWith("1\n\n20\n300", "shop.v1.total"))).isEqualTo("321");
    assertThat(result(callWith("1\n2\n", "shop.back.v1.summed", "[10]"))).isEqualTo("30");
    assertThat(result(callWith("", "shop.v1.total"))).isEqualTo("0");
  }

  @Test
  void streamsBothWays() {
    assertThat(result(callWith("1\n2\n3\n", "shop.back.v1.doubled"))).isEqualTo("2\n4\n6");
  }

  @Test
  void printsWhatCameBeforeAStreamFailed() {
    Shell.Run run = call("shop.back.v1.broken");
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out().lines()).containsExactly("0", "1");
    assertThat(run.err()).contains("PERMISSION_DENIED", "not that one");
  }

  @Test
  void namesTheLineThatIsNoItem() {
    Shell.Run run = callWith("1\n\n\"x\"\n3\n", "shop.v1.total");
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("line 3: expected a whole number", "(int), not \"x\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "shop.v1.price | {\"orders\": [{\"item\": \"a\", \"pieces\": 1}, {\"item\": \"b\", \"pieces\": 1.5}]} | orders[1].pieces: expected a whole number from -2147483648 to 2147483647 (int), not 1.5",
        "shop.v1.price | {\"orders\": [{\"item\": \"a\", \"pieces\": 3000000000}]} | orders[0].pieces: expected a whole number",
        "shop.v1.price | {\"orders\": [{\"pieces\": 1}]} | orders[0].item: is missing; its type is String",
        "shop.v1.price | {\"orders\": [{\"item\": null, \"pieces\": 1}]} | orders[0].item: expected a string, not null",
        "shop.v1.price | {\"orders\": [{\"itme\": \"a\"}]} | orders[0].itme: the peer's contract has no such member; it has item, pieces",
        "shop.v1.price | {\"orders\": 7} | orders: expected an array, not 7",
        "shop.v1.price | {\"currency\": \"GBP\"} | currency: expected one of EUR, USD, not \"GBP\"",
        "shop.v1.find | [\"a\", \"b\"] | 2 values were given for the parameters: name",
        "shop.v1.find | \"pear\" | expected an object with name, or an array in this order, not \"pear\"",
      })
  void saysWhereJsonIsWrongAndWhatWasExpected(String method, String json, String message) {
    Shell.Run run = call(method, json);
    assertThat(run.err()).startsWith("verbena call: " + message);
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"name\": \"a\" | the object is not closed (line 1, column 13)",
        "{\"name\": | the object is not closed (line 1, column 9)",
        "[\"a\", | the array is not closed",
        "[\"a | the string is not closed",
        "- | it ends too early",
        "{} {} | more text follows the value; write the items of a stream one a line (line 1, column 4)",
        "1 2 | more text follows the value",
        "{\"name\":\"a\",\"name\":\"b\"} | the member 'name' occurs twice",
        "} | '}' has no opening bracket",
        "[1} | ']' must come before '}'",
        "pear | 'pear' is not a value; put strings in double quotes",
        "NaN | write 'NaN' as a string",
        "{'a':1} | ''' is unexpected: was expecting double-quote to start field name",
        "/* */ 1 | '/' is unexpected (",
        "01 | Invalid numeric value: Leading zeroes not allowed",
      })
  void saysInPlainWordsWhyATextIsNoJson(String text, String message) {
    String told = String.valueOf(catchThrowable(() -> Json.parse(text)).getMessage());
    assertThat(told).startsWith("not JSON: " + message).doesNotContain("`", "Source", "Feature");
  }

  @Test
  void saysThatJsonNestsTooDeep() {
    Shell.Run run = call("shop.v1.find", "[".repeat(2000));
    assertThat(run.err()).contains("not JSON: it nests too deep");
    assertThat(run.exit()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "shop.v2 | the server has no service for 'shop.v2'; it serves shop.back.v1, shop.v1",
        "shop.v1.sell | shop.v1 has no method 'sell'; it has find, price, watch, total, audit",
        "shop.v1 {} | arguments need a method; write shop.v1.METHOD",
        "shop.v1.find --timeout 2 | '2' is not a time such as 250ms, 2s, 1m or 1h",
        "shop.v1.find --path udp | 'udp' is not auto, tcp or rdma",
        "shop.v1.find -H a | --header is KEY=VALUE, not 'a'",
        "shop.v1.find -H A=b | a metadata key has 1 to 64 characters of a-z",
        "shop.v1.total - | the standard input has the items of the stream",
        "shop.v1.find --tls-key /dev/null | --tls-cert and --tls-key need each other",
      })
  void refusesWrongUsage(String words, String message) {
    Shell.Run run = call(words.split(" "));
    assertThat(run.err()).contains(message);
    assertThat(run.exit()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"::", "7501", "localhost", "localhost:", ":7501", "[::1]", "::1:7501", "a:65536"})
  void refusesWhatIsNoAddress(String address) {
    Shell.Run run = Shell.call(address);
    assertThat(run.err()).contains("'" + address + "' is not an address; write HOST:PORT");
    assertThat(run.exit()).isEqualTo(2);
  }

  @Test
  void saysThatNobodyListens() {
    Shell.Run run = Shell.call("127.0.0.1:1", "shop.v1");
    assertThat(run.err()).contains("\"UNAVAILABLE\"", "no session with 127.0.0.1:1");
    assertThat(run.exit()).isEqualTo(1);
  }

  @Test
  void refusesAMethodThatReturnsALargeObject() {
    Shell.Run run = call("shop.back.v1.picture", "[\"a\"]");
    assertThat(run.err()).contains("\"INCOMPATIBLE\"", "method picture returns a large object");
    assertThat(run.exit()).isEqualTo(1);
  }
}
