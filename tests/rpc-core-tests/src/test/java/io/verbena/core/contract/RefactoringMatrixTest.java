package io.verbena.core.contract;

import static io.verbena.api.Execution.EXECUTED;
import static io.verbena.api.Execution.NOT_EXECUTED;
import static io.verbena.api.RpcStatus.INCOMPATIBLE;
import static io.verbena.api.RpcStatus.INTERNAL;
import static io.verbena.api.RpcStatus.UNIMPLEMENTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.core.contract.Refactoring.Failure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What people do to a contract, and what becomes of each of its methods when one end has the new
 * version and the other has not: the old calls the new, and the new calls the old.
 */
@Tag("long")
class RefactoringMatrixTest {
  private static final String SHOP =
      """
      package shop;
      import io.verbena.api.*;
      import java.util.*;
      import org.jspecify.annotations.Nullable;
      @RpcService(name = "shop.v1")
      public interface Shop {
        @RpcMethod(id = 1) List<Item> find(Query query, String language, String region);
        @RpcMethod(id = 2) String pay(Payment payment, Currency currency);
        @RpcMethod(id = 3) void close(String reason) throws Closed;
        @RpcMethod(id = 4) long count();
        @RpcMethod(id = 5) String open(String key);
        @RpcMethod(id = 6) String lock(String key);
        @RpcMethod(id = 7) Currency currency();
        @RpcMethod(id = 8) Payment payment();
        @RpcMethod(id = 9) Page<Item> page(int number);
        record Query(String text, String sort) {}
        record Item(String name, long price, int left) {}
        record Page<T>(List<T> elements, int number) {}
        enum Currency { EUR, USD }
        sealed interface Payment permits Cash, Card {}
        @RpcType(id = 1) record Cash(long amount) implements Payment {}
        @RpcType(id = 2) record Card(String number, String holder) implements Payment {}
        class Closed extends Exception {
          public Closed(String message) { super(message); }
        }
      }
      """;
  private static final String LATE =
      "class Late extends Exception { public Late(String message) { super(message); } }\n";

  @TempDir private static Path directory;
  private static final Map<String, ContractVersion> COMPILED = new HashMap<>();

  static Stream<Refactoring> refactorings() {
    return Stream.of(renamings(), placesChanged(), grownOrShrunk(), unknowns(), methods())
        .flatMap(rows -> rows);
  }

  /** No byte changes, and no call fails. */
  private static Stream<Refactoring> renamings() {
    return Stream.of(
        Refactoring.of("nothing"),
        Refactoring.of("rename a parameter").change("String language", "String locale"),
        Refactoring.of("rename a record").change("Item", "Article"),
        Refactoring.of("rename a member").change("long price", "long cost"),
        Refactoring.of("rename a constant").change("EUR", "EURO"),
        Refactoring.of("rename a subtype").change("Cash", "Coins"),
        Refactoring.of("rename a sealed type").change("Payment", "Settlement"),
        Refactoring.of("rename an enum").change("Currency", "Money"),
        Refactoring.of("rename a declared exception").change("Closed", "Shut"),
        Refactoring.of("rename a generic record").change("Page", "Part"),
        Refactoring.of("rename a method").change("find(", "search("),
        Refactoring.of("rename everything")
            .change("language", "locale")
            .change("Item", "Article")
            .change("price", "cost")
            .change("EUR", "EURO")
            .change("Cash", "Coins")
            .change("Payment", "Settlement")
            .change("Closed", "Shut")
            .change("find(", "search("),
        Refactoring.of("use two records of one shape where there was one")
            .change("Page<Item> page", "Page<Listed> page")
            .change(
                "record Query",
                "record Listed(String name, long price, int left) {}\nrecord Query"));
  }

  /** Their names tell. */
  private static Stream<Refactoring> placesChanged() {
    return Stream.of(
        Refactoring.of("swap members")
            .change("String text, String sort", "String sort, String text")
            .breaks(1, "type shop.Shop.Query, member 1 is '"),
        Refactoring.of("swap members of a type used twice")
            .change("String name, long price, int left", "String name, int left, long price")
            .breaks(1, "type shop.Shop.Item, member 2")
            .breaks(9, "type shop.Shop.Item, member 2"),
        Refactoring.of("swap parameters")
            .change("String language, String region", "String region, String language")
            .breaks(1, "method find (id 1), parameter 2 is '"),
        Refactoring.of("swap constants")
            .change("EUR, USD", "USD, EUR")
            .breaks(2, "type shop.Shop.Currency, constant 0 is '")
            .breaks(7, "type shop.Shop.Currency, constant 0 is '"),
        Refactoring.of("insert a constant")
            .change("EUR, USD", "EUR, CHF, USD")
            .breaks(2, "type shop.Shop.Currency, constant 1 is '")
            .breaks(7, "type shop.Shop.Currency, constant 1 is '"),
        Refactoring.of("swap the ids of subtypes")
            .change("id = 1) record Cash", "id = 3) record Cash")
            .change("id = 2) record Card", "id = 1) record Card")
            .change("id = 3) record Cash", "id = 2) record Cash")
            .breaks(2, "type shop.Shop.Payment, subtype with id 1 is '")
            .breaks(8, "type shop.Shop.Payment, subtype with id 1 is '"),
        Refactoring.of("give a subtype another id")
            .change("id = 2) record Card", "id = 3) record Card")
            .breaks(2, "id of subtype shop.Shop.Card is '")
            .breaks(8, "id of subtype shop.Shop.Card is '"),
        Refactoring.of("swap declared exceptions")
            .where("class Closed", LATE + "class Closed")
            .where("throws Closed", "throws Closed, Late")
            .change("throws Closed, Late", "throws Late, Closed")
            .breaks(3, "method close (id 3) throws: exception 1 is '"),
        Refactoring.of("swap the ids of methods of one shape")
            .change("id = 5) String open", "id = 0) String open")
            .change("id = 6) String lock", "id = 5) String lock")
            .change("id = 0) String open", "id = 6) String open")
            .breaks(5, "id of method ")
            .breaks(6, "id of method "),
        Refactoring.of("insert a member")
            .change("String name, long price", "String name, int weight, long price")
            .breaks(1, "type shop.Shop.Item, member 2")
            .breaks(9, "type shop.Shop.Item, member 2"),
        Refactoring.of("remove the first member")
            .change("String text, String sort", "String sort")
            .breaks(1, "type shop.Shop.Query, member 1"));
  }

  private static Stream<Refactoring> grownOrShrunk() {
    return Stream.of(
        Refactoring.of("add trailing members that have a default")
            .change("int left)", "int left, double weight, @Nullable String colour)"),
        Refactoring.of("add a trailing member without a default")
            .change("int left)", "int left, String colour)")
            .breaks(1, "type shop.Shop.Item: member 'colour: java.lang.String' exists only")
            .breaks(9, "type shop.Shop.Item: member 'colour: java.lang.String' exists only"),
        Refactoring.of("remove a trailing member that has a default")
            .change("long price, int left)", "long price)"),
        Refactoring.of("remove a trailing member without a default")
            .change("String text, String sort", "String text")
            .breaks(1, "type shop.Shop.Query: member 'sort: java.lang.String' exists only"),
        Refactoring.of("add a trailing parameter that has a default")
            .change("String key);", "String key, int times);"),
        Refactoring.of("change the type of a member")
            .change("long price", "double price")
            .breaks(1, "type shop.Shop.Item, member 2 is 'price: ")
            .breaks(9, "type shop.Shop.Item, member 2 is 'price: "),
        Refactoring.of("change and rename a member")
            .change("long price", "double cost")
            .breaks(1, "type shop.Shop.Item, member 2 is '")
            .breaks(9, "type shop.Shop.Item, member 2 is '"),
        Refactoring.of("let a member be null")
            .change("String sort", "@Nullable String sort")
            .breaks(1, "type shop.Shop.Query, member 2 is 'sort: "),
        Refactoring.of("change a result")
            .change("long count()", "double count()")
            .breaks(4, "method count (id 4) returns '"),
        Refactoring.of("make an enum of a record")
            .change("record Query(String text, String sort) {}", "enum Query { TEXT }")
            .breaks(1, "type shop.Shop.Query is '"));
  }

  private static Stream<Refactoring> unknowns() {
    return Stream.of(
        Refactoring.of("add a constant")
            .change("EUR, USD", "EUR, USD, CHF")
            .oldFails(
                7,
                INCOMPATIBLE,
                EXECUTED,
                "Currency has nothing numbered 2 in the reader's contract")
            .newFails(
                2,
                INCOMPATIBLE,
                NOT_EXECUTED,
                "Currency has nothing numbered 2 in the reader's contract"),
        Refactoring.of("remove the last constant")
            .change("EUR, USD", "EUR")
            .oldFails(
                2,
                INCOMPATIBLE,
                NOT_EXECUTED,
                "Currency has nothing numbered 1 in the reader's contract")
            .newFails(
                7,
                INCOMPATIBLE,
                EXECUTED,
                "Currency has nothing numbered 1 in the reader's contract"),
        Refactoring.of("add a subtype")
            .change("permits Cash, Card", "permits Cash, Card, Coupon")
            .change(
                "class Closed",
                "@RpcType(id = 3) record Coupon(String code) implements Payment {}\nclass Closed")
            .oldFails(
                8,
                INCOMPATIBLE,
                EXECUTED,
                "Payment has nothing numbered 3 in the reader's contract")
            .newFails(
                2,
                INCOMPATIBLE,
                NOT_EXECUTED,
                "Payment has nothing numbered 3 in the reader's contract"),
        Refactoring.of("remove a subtype")
            .change("permits Cash, Card", "permits Cash")
            .change(
                "@RpcType(id = 2) record Card(String number, String holder) implements Payment {}",
                "")
            .oldFails(
                2,
                INCOMPATIBLE,
                NOT_EXECUTED,
                "Payment has nothing numbered 2 in the reader's contract")
            .newFails(
                8,
                INCOMPATIBLE,
                EXECUTED,
                "Payment has nothing numbered 2 in the reader's contract"),
        Refactoring.of("add a constant where one stands for the unknown")
            .where("EUR, USD", "EUR, @RpcUnknown OTHER, USD")
            .change("USD }", "USD, CHF }")
            .arrivesAs("OTHER"),
        Refactoring.of("add subtypes where one stands for the unknown")
            .where("permits Cash, Card", "permits Other, Cash, Card")
            .where(
                "class Closed",
                "@RpcType(id = 9) @RpcUnknown record Other() implements Payment {}\nclass Closed")
            .change("permits Other, Cash, Card", "permits Other, Cash, Card, Coupon")
            .change(
                "class Closed",
                "@RpcType(id = 3) record Coupon(String code) implements Payment {}\nclass Closed")
            .arrivesAs("Other[]"),
        Refactoring.of("add an enum as a subtype where one stands for the unknown")
            .where("permits Cash, Card", "permits Other, Cash, Card")
            .where(
                "class Closed",
                "@RpcType(id = 9) @RpcUnknown record Other() implements Payment {}\nclass Closed")
            .change("permits Other, Cash, Card", "permits Other, Cash, Card, Gift")
            .change(
                "class Closed",
                "@RpcType(id = 3) enum Gift implements Payment { BOOK, WINE }\nclass Closed")
            .arrivesAs("Other[]"),
        Refactoring.of("add a declared exception")
            .change("class Closed", LATE + "class Closed")
            .change("throws Closed", "throws Closed, Late")
            .oldFails(3, INTERNAL, EXECUTED, "shop.Shop$Late: because"),
        Refactoring.of("remove a declared exception")
            .where("class Closed", LATE + "class Closed")
            .where("throws Closed", "throws Closed, Late")
            .change("throws Closed, Late", "throws Closed")
            .newFails(3, INTERNAL, EXECUTED, "shop.Shop$Late: because"),
        Refactoring.of("declare a first exception")
            .change("String open(String key)", "String open(String key) throws Closed")
            .oldFails(5, INTERNAL, EXECUTED, "shop.Shop$Closed: because"));
  }

  private static Stream<Refactoring> methods() {
    String words = "has no method 4: it was removed, or not added yet";
    return Stream.of(
        Refactoring.of("remove a method")
            .change("@RpcMethod(id = 4) long count();", "")
            .oldFails(4, UNIMPLEMENTED, NOT_EXECUTED, words),
        Refactoring.of("add a method")
            .change("record Query", "@RpcMethod(id = 10) long sum();\nrecord Query")
            .newFails(
                10,
                UNIMPLEMENTED,
                NOT_EXECUTED,
                "has no method 10: it was removed, or not added yet"),
        Refactoring.of("give a method another id")
            .change("id = 4) long count", "id = 14) long count")
            .oldFails(
                4, INCOMPATIBLE, NOT_EXECUTED, "id of method count is '4' here and '14' there")
            .newFails(
                14, INCOMPATIBLE, NOT_EXECUTED, "id of method count is '14' here and '4' there"),
        Refactoring.of("rename a method and put another in its place")
            .change("id = 4) long count()", "id = 4) long countAll()")
            .change("record Query", "@RpcMethod(id = 10) long count(Query query);\nrecord Query")
            .newFails(
                10,
                UNIMPLEMENTED,
                NOT_EXECUTED,
                "has no method 10: it was removed, or not added yet"),
        Refactoring.of("remove a method and give its id to the next")
            .change("@RpcMethod(id = 5) String open(String key);", "")
            .change("id = 6) String lock", "id = 5) String lock")
            .breaks(5, "id of method lock is '")
            .oldFails(6, INCOMPATIBLE, NOT_EXECUTED, "id of method lock is '6' here and '5' there"),
        Refactoring.of("make a method one-way")
            .where("void close(String reason) throws Closed", "void close(String reason)")
            .change("(id = 3) void", "(id = 3, oneway = true) void")
            .oldFails(3, INCOMPATIBLE, NOT_EXECUTED, "method close (id 3) is 'two-way' here"));
  }

  @ParameterizedTest
  @MethodSource("refactorings")
  void theOldVersionCallsTheNew(Refactoring row) throws Exception {
    check(row, row.oldText(SHOP), row.newText(SHOP), row.oldCallsNew);
  }

  @ParameterizedTest
  @MethodSource("refactorings")
  void theNewVersionCallsTheOld(Refactoring row) throws Exception {
    check(row, row.newText(SHOP), row.oldText(SHOP), row.newCallsOld);
  }

  private static void check(
      Refactoring row, String client, String server, Map<Integer, Failure> expected)
      throws IOException, ReflectiveOperationException {
    try (Pairing pair = new Pairing(version(client), version(server), row.unknown() == null)) {
      Map<Integer, RpcException> failures = pair.callAll();
      assertThat(failures.keySet())
          .as("methods that fail: %s", failures)
          .isEqualTo(expected.keySet());
      expected.forEach(
          (id, failure) -> {
            RpcException thrown = Objects.requireNonNull(failures.get(id));
            assertThat(thrown).hasMessageContaining(failure.words());
            assertThat(thrown.status()).isEqualTo(failure.status());
            assertThat(thrown.execution()).isEqualTo(failure.execution());
          });
      if (row.unknown() != null) {
        assertThat(pair.arrived()).contains(row.unknown());
      }
    }
  }

  private static ContractVersion version(String text)
      throws IOException, ReflectiveOperationException {
    ContractVersion known = COMPILED.get(text);
    if (known == null) {
      known = ContractVersion.compile(text, directory);
      COMPILED.put(text, known);
    }
    return known;
  }
}
