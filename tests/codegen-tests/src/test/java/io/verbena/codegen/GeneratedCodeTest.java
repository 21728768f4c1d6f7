package io.verbena.codegen;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GeneratedCodeTest {
  private static final String STORE =
      """
      package shop;

      import io.verbena.api.*;
      import java.util.*;

      @RpcService(name = "store.v1")
      public interface Store {
        /**
         * Finds an item.
         *
         * @param key its key
         */
        @RpcMethod(id = 1, idempotent = true, timeout = "250ms")
        Item get(Key key) throws NoSuchItem;

        @RpcMethod(id = 2, oneway = true)
        void audit(List<Item> items);
      }
      """;
  private static final String TYPES =
      """
      package shop;

      record Client(String name) {}
      """;
  private static final String ITEM =
      """
      package shop;

      public record Item(Key key, java.util.Map<String, Integer> stock) {}
      """;
  private static final String KEY =
      """
      package shop;

      public record Key(long id) {}
      """;
  private static final String NO_SUCH_ITEM =
      """
      package shop;

      public class NoSuchItem extends Exception {
        private static final long serialVersionUID = 1;

        public NoSuchItem(String message) {
          super(message);
        }
      }
      """;
  private static final String NESTED =
      """
      package shop;

      import io.verbena.api.*;

      class Outer {
        @RpcService(name = "nested.v1")
        interface Store {
          @Deprecated
          @RpcMethod(id = 1)
          Client greet(Client client, int in, int out, int call, int reply, int e, int result, int caller);
        }
      }
      """;

  private static List<JavaFileObject> shop() {
    return List.of(
        Compiled.source("Store.java", STORE),
        Compiled.source("Client.java", TYPES),
        Compiled.source("Item.java", ITEM),
        Compiled.source("Key.java", KEY),
        Compiled.source("NoSuchItem.java", NO_SUCH_ITEM),
        Compiled.source("Outer.java", NESTED));
  }

  @Test
  void compilesWithoutAWarning() {
    Compiled compiled = Compiled.of(shop());
    assertThat(compiled.errors()).isEmpty();
    assertThat(compiled.generated())
        .containsOnlyKeys("shop/StoreRpc.java", "shop/Outer_StoreRpc.java");
  }

  @Tag("long")
  @Test
  void isTheSameWhateverTheOrderOfTheSources() {
    Map<String, String> first = Compiled.of(shop()).generated();
    assertThat(Compiled.of(shop()).generated()).isEqualTo(first);
    List<JavaFileObject> reversed = new ArrayList<>(shop());
    Collections.reverse(reversed);
    assertThat(Compiled.of(reversed).generated()).isEqualTo(first);
  }

  @Test
  void isTheSameWhenAContractIsCompiledAlone() {
    List<JavaFileObject> alone = new ArrayList<>(shop());
    alone.remove(5);
    String store = Compiled.of(shop()).generated().get("shop/StoreRpc.java");
    assertThat(Compiled.of(alone).generated()).isEqualTo(Map.of("shop/StoreRpc.java", store));
  }

  @Test
  void carriesTheJavadocOver() {
    String store = Compiled.of(shop()).generated().get("shop/StoreRpc.java");
    assertThat(store)
        .contains(
            """
                /**
                 * Finds an item.
                 *
                 * @param key its key
                 */
                CompletionStage<Item> get(Key key);
            """)
        .contains("@Generated(\"io.verbena.codegen.VerbenaProcessor\")")
        .doesNotContain("\t");
  }

  @Test
  void isAsVisibleAsItsContract() {
    Map<String, String> generated = Compiled.of(shop()).generated();
    assertThat(generated.get("shop/StoreRpc.java")).contains("public final class StoreRpc");
    assertThat(generated.get("shop/Outer_StoreRpc.java")).contains("\nfinal class Outer_StoreRpc");
  }

  @Test
  void theProcessorIsDeclaredToBuildToolsAsIsolating() throws IOException {
    String processor = "io.verbena.codegen.VerbenaProcessor";
    assertThat(resource("META-INF/gradle/incremental.annotation.processors"))
        .isEqualTo(processor + ",isolating");
    assertThat(resource("META-INF/services/javax.annotation.processing.Processor"))
        .isEqualTo(processor);
  }

  /**
   * The rules that Gradle has for such a processor; that it writes by the filer alone is another.
   */
  @Test
  void whatIsGeneratedIsOfOneSourceAsIsolatingProcessorsMustHaveIt() {
    assertThat(Compiled.of(shop()).origins())
        .isEqualTo(
            Map.of(
                "shop.StoreRpc.java",
                List.of("/Store.java"),
                "shop.Outer_StoreRpc.java",
                List.of("/Outer.java")));
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = VerbenaProcessor.class.getClassLoader().getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "boolean isOdd; | public boolean isOdd() { return isOdd; } | public void setOdd(boolean odd) { isOdd = odd; }",
        "Boolean isOdd; | public Boolean getOdd() { return isOdd; } | public void setOdd(Boolean odd) { isOdd = odd; }",
        "boolean xAxis; | public boolean isxAxis() { return xAxis; } | public void setxAxis(boolean to) { xAxis = to; }",
        "String xAxis; | public String getxAxis() { return xAxis; } | public void setxAxis(String to) { xAxis = to; }",
        "String URL; | public String getURL() { return URL; } | public void setURL(String to) { URL = to; }",
      })
  void callsAccessorsAsIdesMakeThem(String field, String getter, String setter) {
    assertThat(withBean("private " + field + getter + setter).errors()).isEmpty();
  }

  @Test
  void anAccessorOfAnotherFieldIsNotTakenForOne() {
    String fields = "private boolean isOdd; private boolean odd;";
    String accessors =
        "public boolean isOdd() { return odd; } public void setOdd(boolean to) { odd = to; }";
    assertThat(withBean(fields + accessors).errors())
        .extracting(error -> error.getMessage(null))
        .singleElement()
        .asString()
        .startsWith("RPC031 field isOdd has no setter setIsOdd(...).");
  }

  private static Compiled withBean(String body) {
    return Compiled.of(
        Map.of(
            "Bean.java",
            "package shop; final class Bean { %s }".formatted(body),
            "Beans.java",
            """
            package shop;
            import io.verbena.api.*;
            @RpcService(name = "beans.v1")
            interface Beans {
              @RpcMethod(id = 1) Bean get();
            }
            """));
  }

  /** The code of a method is limited to 64 KiB, which the schema of a large contract exceeds. */
  @Tag("long")
  @Test
  void describesLargeContractsInSeveralMethods() {
    String members =
        IntStream.range(0, 80).mapToObj("int member%d"::formatted).collect(joining(", "));
    Map<String, String> sources = new HashMap<>();
    StringBuilder methods = new StringBuilder();
    List<String> types = new ArrayList<>();
    for (int i = 100; i < 150; i++) {
      String type = "Type" + i;
      types.add("shop." + type);
      sources.put(type + ".java", "package shop; public record %s(%s) {}".formatted(type, members));
      methods.append("@RpcMethod(id = %d) void put(%s value);".formatted(i, type));
    }
    sources.put(
        "All.java",
        """
        package shop;
        import io.verbena.api.*;
        @RpcService(name = "all.v1")
        interface All {
          %s
        }
        """
            .formatted(methods));

    Compiled compiled = Compiled.of(sources);

    assertThat(compiled.errors()).isEmpty();
    String generated = compiled.generated().getOrDefault("shop/AllRpc.java", "");
    assertThat(generated).contains("types5()").doesNotContain("types6()", "methods1()");
    assertThat(Pattern.compile("new Schema.Type\\(\\s*\"(.*?)\"").matcher(generated).results())
        .extracting(found -> found.group(1))
        .isEqualTo(types);
  }
}
