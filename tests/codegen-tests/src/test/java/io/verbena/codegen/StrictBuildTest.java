package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcService;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Contracts of every kind in a build that makes an error of each of javac's warnings. */
class StrictBuildTest {
  private static final String CONTRACT =
      """
      package shop;

      import io.verbena.api.*;
      import io.verbena.api.bulk.*;
      import java.io.IOException;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.Flow;
      import org.jspecify.annotations.*;

      @NullMarked
      @SuppressWarnings("deprecation") // of the user's own types
      @RpcService(name = "store.v1")
      public interface Store extends Named {
        /**
         * Finds an item.
         *
         * @deprecated use {@link #all}
         */
        @Deprecated
        @RpcMethod(id = 1, idempotent = true, timeout = "250ms")
        @Nullable Item get(Key key) throws NoSuchItem, IOException, RpcException;

        /** @deprecated going */
        @Deprecated(since = "2", forRemoval = true)
        @RpcMethod(id = 2, oneway = true)
        void audit(List<@Nullable Item> items, Map<String, List<int[]>> more, Optional<Key> key);

        @RpcMethod(id = 3)
        Flow.Publisher<Item> all(Flow.Publisher<Key> keys);

        @RpcMethod(id = 4)
        Received picture(Key key, Landing landing);

        @RpcMethod(id = 5, nonBlocking = true)
        Page<Item> page(Set<Colour> colours, Shape shape, Instant from, Duration to, String... more);

        @RpcMethod(id = 6)
        List<String>[] lists(List<Key>[] keys, byte[][] bytes, long[] numbers, UUID id, OldItem old);
      }
      """;
  private static final String OLD_CONTRACT =
      """
      package shop;

      import io.verbena.api.*;

      /** @deprecated use Store */
      @Deprecated
      @SuppressWarnings("deprecation")
      @RpcService(name = "old.v1")
      public interface OldStore {
        @RpcMethod(id = 1)
        OldItem get(OldItem item);
      }
      """;
  private static final String TYPES =
      """
      package shop;

      import io.verbena.api.*;

      class Own {
        @RpcService(name = "own.v1")
        interface Store {
          @RpcMethod(id = 1)
          int count();
        }
      }
      """;

  static Map<String, String> sources() {
    Map<String, String> sources = new HashMap<>();
    sources.put("Store.java", CONTRACT);
    sources.put("OldStore.java", OLD_CONTRACT);
    sources.put("Own.java", TYPES);
    type(
        sources,
        "Named",
        "public interface Named { @io.verbena.api.RpcMethod(id = 9) String name(); }");
    type(sources, "Key", "public record Key(long id) {}");
    type(sources, "Item", "public record Item(Key key, java.util.Map<String, Integer> stock) {}");
    type(sources, "Page", "public record Page<T>(java.util.List<T> items, int next) {}");
    type(
        sources,
        "Colour",
        "public enum Colour { @io.verbena.api.RpcUnknown OTHER, RED, @Deprecated BLUE }");
    type(
        sources,
        "Shape",
        """
        public sealed interface Shape {
          @io.verbena.api.RpcType(id = 1) record Round(double radius) implements Shape {}
          @io.verbena.api.RpcType(id = 2) record Square(double side) implements Shape {}
        }
        """);
    type(sources, "OldItem", "@Deprecated public record OldItem(String name) {}");
    type(
        sources,
        "NoSuchItem",
        """
        public class NoSuchItem extends Exception {
          private static final long serialVersionUID = 1;
          public NoSuchItem() {}
          public NoSuchItem(String message) { super(message); }
          public NoSuchItem(String message, Throwable cause) { super(message, cause); }
          public NoSuchItem(Throwable cause) { super(cause); }
        }
        """);
    return sources;
  }

  private static void type(Map<String, String> sources, String name, String text) {
    sources.put(name + ".java", "package shop;\n\n" + text);
  }

  @Test
  void contractsOfEveryKindCompileWithoutAWarning() {
    Compiled compiled = Compiled.of(sources());
    assertThat(compiled.errors()).isEmpty();
    assertThat(compiled.generated()).hasSize(3);
  }

  @Test
  void soTheyDoInAModuleThatRequiresTheApiAlone() {
    Map<String, String> sources = sources();
    sources.put(
        "module-info.java", "module shop { requires transitive io.verbena.api; exports shop; }");
    String path = jar(RpcService.class) + File.pathSeparator + jar(Nullable.class);
    Compiled compiled = Compiled.of(sources, List.of("--module-path", path));
    assertThat(compiled.errors()).isEmpty();
    assertThat(compiled.generated()).hasSize(3);
  }

  @Test
  void asyncMethodsAreAsDeprecatedAsTheirContractsMethods() {
    String store = Compiled.of(sources()).generated().get("shop/StoreRpc.java");
    assertThat(store)
        .containsPattern("@Deprecated\\s+CompletionStage<@Nullable Item> get\\(Key key\\);")
        .containsPattern("@Deprecated\\([^)]*forRemoval = true[^)]*\\)\\s+void audit\\(");
  }

  private static Path jar(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
