package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A contract that is compiled again and again, as it changes, beside its lock. */
class LockTest {
  private static final String FIRST =
      """
      @RpcMethod(id = 1) Item find(String text) throws Closed;
      @RpcMethod(id = 2) void pay(Payment payment);
      @RpcMethod(id = 3, oneway = true) void note(Colour colour);
      record Item(String name, long price) {}
      enum Colour { RED, BLUE }
      sealed interface Payment {}
      @RpcType(id = 1) record Card(long number) implements Payment {}
      @RpcType(id = 2) record Cash() implements Payment {}
      @SuppressWarnings("serial") final class Closed extends Exception {}
      """;

  @TempDir Path directory;

  private List<String> compile(String body, String... more) {
    String source =
        """
        package shop;
        import io.verbena.api.*;
        import org.jspecify.annotations.Nullable;
        @RpcService(name = "shop.v1")
        interface Shop {
        %s
        }
        """
            .formatted(body);
    List<String> options = new ArrayList<>(List.of(more));
    options.add("-Averbena.lock=" + directory.resolve("locks"));
    return Compiled.of(Map.of("Shop.java", source), options).errors().stream()
        .map(error -> error.getMessage(null))
        .toList();
  }

  private String lock() throws IOException {
    return Files.readString(directory.resolve("locks/shop.v1.lock"));
  }

  @Test
  void saysWhatTheContractSaysOnTheWire() throws IOException {
    assertThat(compile(FIRST)).isEmpty();
    assertThat(lock())
        .isEqualTo(
            """
            # What shop.v1 says on the wire. Kept by Verbena's annotation processor: commit it with the contract.
            method 1 find
              takes text java.lang.String
              returns value shop.Shop.Item
              throws exception shop.Shop.Closed
            method 2 pay
              takes payment shop.Shop.Payment
              returns value void
            method 3 note
              takes colour shop.Shop.Colour
              returns nothing one-way
            record shop.Shop.Card
              has number long
            record shop.Shop.Cash
            record shop.Shop.Closed
            enum shop.Shop.Colour
              has RED
              has BLUE
            record shop.Shop.Item
              has name java.lang.String
              has price long
            sealed shop.Shop.Payment
              id 1 shop.Shop.Card
              id 2 shop.Shop.Cash
            """);
    assertThat(compile(FIRST, "-Averbena.lock.frozen=true")).as("nothing is new").isEmpty();
  }

  @Test
  void takesWhatOlderPeersUnderstandAndHoldsTheNextVersionToIt() throws IOException {
    compile(FIRST);
    String grown =
        FIRST
            .replace("find(String text)", "find(String words, @Nullable String language)")
            .replace("long price", "long cents, @Nullable String colour")
            .replace("RED, BLUE", "RED, BLUE, GREEN");
    assertThat(compile(grown, "-Averbena.lock.frozen=true"))
        .singleElement()
        .asString()
        .startsWith("RPC074 ")
        .contains("shop.v1.lock", "'takes words java.lang.String'");
    assertThat(compile(grown)).isEmpty();
    assertThat(lock()).contains("takes language java.lang.String?", "has cents long", "has GREEN");

    assertThat(compile(FIRST))
        .as("what a newer version sends is not taken away again")
        .hasSize(3)
        .allSatisfy(error -> assertThat(error).startsWith("RPC070 "));
  }

  @Test
  void idsAreNotGivenAwayOnceTheyWereUsed() throws IOException {
    compile(FIRST);
    String without =
        FIRST
            .replace("@RpcMethod(id = 2) void pay(Payment payment);", "")
            .replace(
                "@RpcMethod(id = 3, oneway = true)",
                "@RpcMethod(id = 4) void pay(Payment p);\n@RpcMethod(id = 3, oneway = true)")
            .replace("@RpcType(id = 2) record Cash() implements Payment {}", "");
    assertThat(compile(without)).isEmpty();
    assertThat(lock()).contains("method 2 pay removed", "id 2 removed");

    String reused =
        without
            .replace("@RpcMethod(id = 4)", "@RpcMethod(id = 2)")
            .replace(
                "final class", "@RpcType(id = 2) record Coin() implements Payment {}\nfinal class");
    assertThat(compile(reused))
        .containsExactlyInAnyOrder(
            "RPC071 id 2 belonged to pay, which was removed, and older peers may still use it. Free id: 5.",
            "RPC071 id 2 belonged to a subtype of shop.Shop.Payment, which was removed, and older peers may still use it. Free id: 3.");
  }

  @Test
  void whatChangedItsTypeOrItsPlaceIsRefused() {
    compile(FIRST);
    String changed =
        FIRST
            .replace("String name, long price", "long price, String name")
            .replace("RED, BLUE", "BLUE, RED")
            .replace("Item find(String", "long find(String")
            .replace("oneway = true) void", "oneway = false) void")
            .replace("@RpcType(id = 1) record Card", "@RpcType(id = 3) record Card")
            .replace("@RpcType(id = 2)", "@RpcType(id = 1)");
    assertThat(compile(changed))
        .anySatisfy(
            error -> assertThat(error).contains("method find (id 1) has 'returns value long'"))
        .anySatisfy(error -> assertThat(error).contains("method note (id 3)", "one-way"))
        .anySatisfy(error -> assertThat(error).contains("'has BLUE'", "'has RED'"))
        .anySatisfy(error -> assertThat(error).contains("'id 1 shop.Shop.Cash'"))
        .allSatisfy(error -> assertThat(error).startsWith("RPC070 "));
  }

  @Test
  void oneMistakeIsOneError() {
    compile(FIRST);
    assertThat(compile(FIRST.replace("String name, long price", "long price, String name")))
        .as("members that changed places")
        .singleElement()
        .asString()
        .startsWith("RPC070 ");
    assertThat(compile(FIRST.replace("RED, BLUE", "BLUE, RED")))
        .as("constants that changed places")
        .hasSize(1);
    String twice =
        FIRST.replace("Item find(String text)", "Thing find(String text)")
            + "record Thing(String name, long price) {}\n@RpcMethod(id = 9) Thing other();";
    assertThat(compile(twice)).as("a type with another name").hasSize(1);
  }

  @Test
  void endsOfLinesThatGitChangedAreTheSame() throws IOException {
    compile(FIRST);
    Path file = directory.resolve("locks/shop.v1.lock");
    String windows = lock().replace("\n", "\r\n");
    Files.writeString(file, windows);
    assertThat(compile(FIRST, "-Averbena.lock.frozen=true")).isEmpty();
    assertThat(compile(FIRST)).isEmpty();
    assertThat(lock()).as("it is not written again").isEqualTo(windows);
  }

  @Test
  void aLockThatWasSpoiltByHandIsNamedWithItsLine() throws IOException {
    compile(FIRST);
    Path file = directory.resolve("locks/shop.v1.lock");
    for (String spoilt : List.of("id one shop.Shop.Card", "id")) {
      Files.writeString(file, "sealed shop.Shop.Payment\n  " + spoilt + "\n");
      assertThat(compile(FIRST))
          .singleElement()
          .asString()
          .startsWith("RPC073 ")
          .contains("shop.v1.lock", "line 2", spoilt);
    }
  }
}
