package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which types that need themselves can be made, and which cannot. */
class InstancesTest {
  private static List<String> errors(String types) {
    String text =
        """
        package bad;
        import io.verbena.api.*;
        import java.util.*;
        import org.jspecify.annotations.Nullable;
        @RpcService(name = "store.v1")
        interface Store {
          @RpcMethod(id = 1) void put(A a);
          %s
        }
        """
            .formatted(types);
    return Compiled.of(Map.of("Store.java", text)).errors().stream()
        .map(error -> error.getMessage(null))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "record A(String v, @Nullable A next) {}",
        "record A(Optional<A> next) {}",
        "record A(List<A> children) {}",
        "record A(Map<String, A> children) {}",
        "record A(A[] children) {}",
        "record A(B b) {} record B(@Nullable A a) {}",
        "record A(Expr e) {} sealed interface Expr permits Sum, One {}"
            + " @RpcType(id = 1) record Sum(Expr left, Expr right) implements Expr {}"
            + " @RpcType(id = 2) record One(int value) implements Expr {}",
        "record A(B<String> b) {} record B<T>(T value, List<B<T>> next) {}",
      })
  void whatEndsSomewhereCanBeMade(String types) {
    assertThat(errors(types)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "record A(A next) {}",
        "record A(B b) {} record B(C c) {} record C(A a, @Nullable B b) {}",
        "record A(Expr e) {} sealed interface Expr permits Sum, Not {}"
            + " @RpcType(id = 1) record Sum(Expr left, Expr right) implements Expr {}"
            + " @RpcType(id = 2) record Not(Expr inner) implements Expr {}",
        "record A(B<String> b) {} record B<T>(T value, B<T> next) {}",
        "class A { private A next; public A getNext() { return next; }"
            + " public void setNext(A next) { this.next = next; } }",
        "record A(Empty e) {} enum Empty {}",
      })
  void whatNeedsItselfWithoutEndIsRefusedOnce(String types) {
    assertThat(errors(types)).singleElement().asString().startsWith("RPC060 ");
  }

  @Test
  void theCircleIsNamed() {
    assertThat(errors("record A(String v, B b) {} record B(A back) {}"))
        .containsExactly(
            "RPC060 no value of bad.Store.A can be made: 'b' of A needs B, 'back' of B needs A. Make one"
                + " of these @Nullable, an Optional or a List.");
  }

  @Test
  void twoCirclesAreToldApart() {
    assertThat(errors("record A(B b, C c) {} record B(B b) {} record C(C c) {}")).hasSize(2);
  }

  @Test
  void aStreamIsToldOfPublishers() {
    assertThat(errors("record A(java.util.stream.Stream<String> values) {}"))
        .containsExactly(
            "RPC023 Stream may have unknown subtypes. Use a Flow.Publisher as the last"
                + " parameter or the result of a method (Streams.of makes one), or a List for few"
                + " items.");
  }

  @Test
  void theConstructorThatAnExceptionLacksIsPrinted() {
    String text =
        """
        package bad;
        import io.verbena.api.*;
        @RpcService(name = "store.v1")
        interface Store {
          @RpcMethod(id = 1) void put() throws Refused;
          class Refused extends Exception {
            private final int code;
            private final java.util.List<String> names;
            Refused(int number, String text, java.util.List<String> list) {
              super(text);
              this.code = number;
              this.names = list;
            }
            public int code() { return code; }
            public java.util.List<String> getNames() { return names; }
          }
        }
        """;
    assertThat(Compiled.of(Map.of("Store.java", text)).errors())
        .singleElement()
        .satisfies(
            e ->
                assertThat(e.getMessage(null))
                    .contains(
                        "Add the constructor: public Refused(String message, int code, List<String> names) {"
                            + " super(message); this.code = code; this.names = names; }"));
  }
}
