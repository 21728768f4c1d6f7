package io.verbena.codegen;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contracts with names of their own that generated code means something else by. */
class HiddenNamesTest {
  /** It has a shape of each kind, and room for more members. */
  private static final String CONTRACT =
      """
      package shop;

      @io.verbena.api.RpcService(name = "store.v1", serializers = Store.ColourSerializer.class)
      public interface Store {
        /** Finds an item. */
        @java.lang.Deprecated
        @io.verbena.api.RpcMethod(id = 1)
        shop.Store.Item get(java.lang.String key, Store.Kind kind, java.util.OptionalInt number)
            throws shop.Store.Missing;

        @io.verbena.api.RpcMethod(id = 2, oneway = true)
        void audit(
            java.util.List<java.lang.String> list,
            java.util.Set<java.lang.Integer> set,
            java.util.Map<java.lang.String, java.util.UUID> map,
            java.util.Optional<java.lang.Long> optional);

        @io.verbena.api.RpcMethod(id = 3)
        java.util.concurrent.Flow.Publisher<java.lang.String> all(
            java.util.concurrent.Flow.Publisher<java.time.Instant> keys);

        @io.verbena.api.RpcMethod(id = 4)
        io.verbena.api.bulk.Received picture(io.verbena.api.bulk.Landing landing);

        @io.verbena.api.RpcMethod(id = 5)
        void paint(Shop shop, java.awt.Color colour, java.lang.String[] names, int... numbers);

        record Item(
            java.lang.String name,
            java.time.Duration age,
            @org.jspecify.annotations.Nullable Item next,
            java.util.OptionalLong number,
            java.util.Optional<java.lang.String> more,
            java.util.List<java.lang.String>[] lists,
            int @org.jspecify.annotations.Nullable [] numbers) {}

        sealed interface Shop {}

        @io.verbena.api.RpcType(id = 1)
        record Small(java.util.Set<java.lang.String> names) implements Shop {}

        @io.verbena.api.RpcType(id = 2)
        enum Kind implements Shop { ONE, @io.verbena.api.RpcUnknown OTHER }

        class Missing extends java.lang.Exception {
          private static final long serialVersionUID = 1;
          public Missing(java.lang.String message) { super(message); }
        }

        final class ColourSerializer implements io.verbena.api.wire.Serializer<java.awt.Color> {
          @java.lang.Override
          public int classId() {
            return 1;
          }
          @java.lang.Override
          public void write(io.verbena.api.wire.WireOut out, java.awt.Color value) {
            out.writeInt(value.getRGB());
          }
          @java.lang.Override
          public java.awt.Color read(io.verbena.api.wire.WireIn in) {
            return new java.awt.Color(in.readInt());
          }
        }
        %s
      }
      """;

  /** The names of types that the code for that contract mentions, in its text and imports. */
  private static final Set<String> MENTIONED = mentioned();

  private static Set<String> mentioned() {
    String code =
        Compiled.of(Map.of("Store.java", CONTRACT.formatted("")))
            .generated()
            .getOrDefault("shop/StoreRpc.java", "")
            .replaceAll("\"[^\"]*\"", "")
            .replaceAll("(?s)/\\*\\*.*?\\*/", "");
    Set<String> names = new TreeSet<>();
    Pattern.compile("(?<![\\w.])[A-Z]\\w*[a-z]\\w*|(?<=import )[\\w.]+")
        .matcher(code)
        .results()
        .map(MatchResult::group)
        .map(name -> name.substring(name.lastIndexOf('.') + 1))
        .forEach(names::add);
    names.removeAll(
        Set.of("Store", "Item", "Shop", "Small", "Kind", "Missing", "ColourSerializer"));
    return names;
  }

  private static String forEach(Function<String, String> code) {
    return MENTIONED.stream().map(code).collect(joining("\n"));
  }

  /** Returns a method for each of the types that have those names. */
  private static String methods(String prefix) {
    List<String> names = List.copyOf(MENTIONED);
    return forEach(
        name ->
            "@io.verbena.api.RpcMethod(id = %1$d) %2$s%3$s to%3$s(%2$s%3$s value);"
                .formatted(100 + names.indexOf(name), prefix, name));
  }

  private static void compiles(Map<String, String> sources) {
    assertThat(Compiled.of(sources).errors()).isEmpty();
  }

  @Test
  void manyNamesAreMentioned() {
    assertThat(MENTIONED)
        .contains("Objects", "String", "Override", "Math", "Wire", "StandardTypes");
  }

  @Test
  void aContractMayHaveTypesByThoseNames() {
    String types = forEach("record %s(int value) {}"::formatted);
    compiles(Map.of("Store.java", CONTRACT.formatted(types + methods(""))));
  }

  @Test
  void soItMayInheritThem() {
    String types = forEach("record %s(int value) {}"::formatted);
    Map<String, String> sources = new HashMap<>();
    sources.put("Base.java", "package shop; interface Base { %s }".formatted(types));
    sources.put(
        "Store.java",
        CONTRACT.formatted("").replace("interface Store", "interface Store extends Base"));
    compiles(sources);
  }

  @Test
  void aContractMayHaveConstantsByThoseNames() {
    String constants = forEach("int %s = 1;"::formatted) + "int GET = 1;";
    compiles(Map.of("Store.java", CONTRACT.formatted(constants)));
  }

  @Test
  void itsParametersAndMembersMayHaveThem() {
    String variables = MENTIONED.stream().map("java.lang.String "::concat).collect(joining(", "));
    String method =
        "@io.verbena.api.RpcMethod(id = 6) Named name(%s, java.util.OptionalInt last);"
            .formatted(variables);
    String type =
        "record Named(%s, java.util.Optional<java.lang.String> last) {}".formatted(variables);
    compiles(Map.of("Store.java", CONTRACT.formatted(method + type)));
  }

  @Test
  void itsPackageMayHaveClassesByThoseNames() {
    Map<String, String> sources = new HashMap<>();
    MENTIONED.forEach(
        name -> sources.put(name + ".java", "package shop; final class %s {}".formatted(name)));
    sources.remove("StoreRpc.java");
    sources.put("Store.java", CONTRACT.formatted(""));
    compiles(sources);
  }

  @Test
  void itMayUseClassesOfAnotherPackageByThoseNames() {
    Map<String, String> sources = new HashMap<>();
    MENTIONED.forEach(
        name ->
            sources.put(
                "other/" + name + ".java",
                "package other; public record %s(int value) {}".formatted(name)));
    sources.put("Store.java", CONTRACT.formatted(methods("other.")));
    compiles(sources);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "interface OTP { @RpcMethod(id = 1) Kind otp(ID id); enum Kind { SMS } enum ID { ONE } @RpcMethod(id = 2) ID id(); }",
        "interface Named { @RpcMethod(id = 11) void v(); @RpcMethod(id = 1) void v1(); }",
        "interface Named { @RpcMethod(id = 1) void get(String GET); @RpcMethod(id = 2) int size(); }",
        "interface Named { @RpcMethod(id = 1) int 数(int 数); }",
        "interface Wire { @RpcMethod(id = 1) Wire.Wires get(Wires w); record Wires(int a) {} }",
        "interface Client { @RpcMethod(id = 1) void get(); }",
        "interface Async { @RpcMethod(id = 1) void get(); }",
        "interface AsyncClient { @RpcMethod(id = 1) void get(); }",
        "interface Server { @RpcMethod(id = 1) void get(); }",
        "interface Objects { @RpcMethod(id = 1) java.util.List<String> get(String key); }",
      })
  void namesOfMethodsAndContractsMayMeetThoseOfTypes(String contract) {
    String name = contract.replaceFirst("interface (\\w+) .*", "$1");
    String head = "package shop; import io.verbena.api.*; @RpcService(name = \"all.v1\") ";
    compiles(Map.of(name + ".java", head + contract));
  }
}
