package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each message has a source under {@code bad/} that earns it, on the line that says {@code HERE},
 * and earns nothing else.
 */
class DiagnosticsTest {
  private static final Path BAD = Path.of("src/test/resources/bad");
  private static final Pattern ROW = Pattern.compile("\\| (RPC\\d{3}) to (RPC\\d{3}) \\|");

  @ParameterizedTest
  @EnumSource(RpcDiagnostic.class)
  void eachMessageStandsOnTheExactLineAndAlone(RpcDiagnostic message) throws IOException {
    Path source = sourceOf(message.code());
    String text = Files.readString(source);
    int here = 1 + (int) text.lines().takeWhile(line -> !line.contains("// HERE")).count();

    List<Diagnostic<? extends JavaFileObject>> errors =
        Compiled.of(Map.of(source.getFileName().toString(), text), options(source), library(source))
            .errors();

    assertThat(errors)
        .singleElement()
        .satisfies(
            error -> {
              assertThat(error.getMessage(null))
                  .startsWith(message.code() + " ")
                  .doesNotContain("%");
              assertThat(error.getLineNumber()).isEqualTo(here);
              assertThat(error.getKind()).isEqualTo(message.kind());
            });
  }

  private static Path sourceOf(String code) throws IOException {
    assertThat(BAD.resolve(code)).as("every code has a source that earns it").isDirectory();
    try (Stream<Path> files = Files.list(BAD.resolve(code))) {
      return files.filter(file -> file.toString().endsWith(".java")).findFirst().orElseThrow();
    }
  }

  private static Map<String, String> library(Path source) throws IOException {
    Path directory = source.resolveSibling("library");
    if (!Files.exists(directory)) {
      return Map.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      Path only = files.findFirst().orElseThrow();
      return Map.of("library/" + only.getFileName(), Files.readString(only));
    }
  }

  /** A lock beside the source holds it to what it says there. */
  private static List<String> options(Path source) {
    Path directory = BAD.resolve(source.getName(BAD.getNameCount()));
    return Files.exists(source.resolveSibling("store.v1.lock"))
        ? List.of("-Averbena.lock=" + directory, "-Averbena.lock.frozen=true")
        : List.of();
  }

  @Test
  void everySourceBelongsToAMessage() throws IOException {
    List<String> codes = Arrays.stream(RpcDiagnostic.values()).map(RpcDiagnostic::code).toList();
    assertThat(codes).doesNotHaveDuplicates();
    try (Stream<Path> directories = Files.list(BAD)) {
      assertThat(directories.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(codes);
    }
  }

  @Test
  void theReferenceHasARowForEveryCode() throws IOException {
    String reference = Files.readString(Root.resolve("docs/reference/diagnostics.md"));
    List<MatchResult> rows = ROW.matcher(reference).results().toList();
    for (RpcDiagnostic message : RpcDiagnostic.values()) {
      assertThat(rows)
          .as(message.code())
          .filteredOn(row -> row.group(1).compareTo(message.code()) <= 0)
          .filteredOn(row -> row.group(2).compareTo(message.code()) >= 0)
          .hasSize(1);
    }
  }

  @Test
  void namesTheOtherMethodAndTheNextFreeId() throws IOException {
    String text = Files.readString(sourceOf("RPC011"));
    assertThat(Compiled.of(Map.of("Store.java", text)).errors().getFirst().getMessage(null))
        .isEqualTo("RPC011 id 2 is already used by get. Next free id: 4.");
  }

  @Test
  void namesKotlinsCureForTheWildcardsThatKotlinMakes() {
    String kapt =
        """
        package bad;
        import io.verbena.api.*;
        @kotlin.Metadata
        @RpcService(name = "store.v1")
        interface Store {
          @RpcMethod(id = 1) void put(java.util.List<? extends String> values);
        }
        """;
    String metadata = "package kotlin; public @interface Metadata {}";
    assertThat(
            Compiled.of(Map.of("Store.java", kapt, "Metadata.java", metadata)).errors().stream()
                .map(error -> error.getMessage(null))
                .filter(text -> text.startsWith("RPC021")))
        .singleElement()
        .asString()
        .contains("annotate the contract with @JvmSuppressWildcards");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Thread", "java.util.EventListener", "java.io.File", "Hidden"})
  void offersKryoForWhatItCannotTakeApart(String type) {
    String text =
        """
        package bad;
        import io.verbena.api.*;
        @RpcService(name = "store.v1")
        interface Store {
          @RpcMethod(id = 1) void put(%s value);
        }
        class Hidden { private int value; }
        """
            .formatted(type);
    assertThat(Compiled.of(Map.of("Store.java", text)).errors())
        .isNotEmpty()
        .allSatisfy(
            error ->
                assertThat(error.getMessage(null))
                    .contains("@RpcService(serializers = ...)", "KryoSerializer of codec-kryo"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "java.util.Date | RPC020 Date cannot be serialized. Use java.time.Instant, or name",
        "java.sql.Timestamp | RPC020 Timestamp cannot be serialized. Use java.time.Instant, or"
            + " name",
        "java.sql.Date | Use java.time.LocalDate, or name",
        "java.util.GregorianCalendar | Use java.time.ZonedDateTime, or name",
        "java.io.InputStream | Use a Landing as a parameter and Received as the result, or an"
            + " ObjectRef",
        "java.io.FileInputStream | Use a Landing as a parameter and Received as the result",
        "java.io.File | Use String for its name, or a Landing",
        "Thread | Use a record, or name",
        "java.nio.file.Path | RPC023 Path may have unknown subtypes. Use String (a path means"
            + " another file",
        "Iterable<String> | Use a Flow.Publisher as the last parameter",
        "java.util.Iterator<String> | Use a Flow.Publisher as the last parameter",
        "java.util.stream.IntStream | Use a Flow.Publisher as the last parameter",
        "Shelf | RPC023 Shelf may have unknown subtypes. Make it sealed, use a record",
      })
  void tellsWhatToUseByWhatTheTypeIsFor(String type, String message) {
    assertThat(messageOn(type, "interface Shelf extends Iterable<String> {}")).contains(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public Integer getValue() { return value; } | field value has no getter getValue() or"
            + " value() that returns int: getValue() returns Integer. Add one",
        "public int value() { return value; } public Integer getValue() { return value; } | field"
            + " value has no setter setValue(...). Add one",
        "public int getValue() { return value; } public void setValue(Number to) {} | field value"
            + " has no setter setValue(int) or value(int): setValue takes Number. Add one",
      })
  void tellsOfAnAccessorOfAnotherType(String accessors, String message) {
    assertThat(messageOn("Count", "class Count { private int value; %s }".formatted(accessors)))
        .startsWith("RPC031 " + message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@lombok.Data class Count { private int value; }",
        "class Count { @lombok.Data private int value; }",
        "@lombok.Data class Count { private int value; public int getValue() { return value; } }",
      })
  void tellsOfTheOrderOfProcessorsWhereLombokHasNotRun(String type) {
    assertThat(
            Compiled.of(
                    Map.of(
                        "lombok/Data.java",
                        "package lombok; public @interface Data {}",
                        "Store.java",
                        contract("Count", type)))
                .errors())
        .first()
        .extracting(error -> error.getMessage(null))
        .asString()
        .contains(" (put lombok before codegen on the processor path). Add one");
  }

  @Test
  void saysNothingOfTheOrderWhereLombokHasMadeAGetter() {
    String made =
        "@lombok.Value class Count { private final int v = 1; public int getV() { return v; } }";
    Map<String, String> sources =
        Map.of(
            "lombok/Value.java",
            "package lombok; public @interface Value {}",
            "Store.java",
            contract("Count", made));
    assertThat(Compiled.of(sources).errors())
        .first()
        .extracting(error -> error.getMessage(null))
        .asString()
        .startsWith("RPC031 field v has no setter setV(...). Add one");
  }

  @Test
  void asksForTheAccessorsOfAnExceptionBeforeAConstructorThatLosesThem() {
    String text =
        """
        package bad;
        import io.verbena.api.*;
        @RpcService(name = "store.v1")
        interface Store {
          @RpcMethod(id = 1) void put() throws Refused;
          class Refused extends Exception {
            public Refused(String message, int code, boolean last) { super(message); }
            public Integer getCode() { return 1; }
          }
        }
        """;
    assertThat(Compiled.of(Map.of("Store.java", text)).errors())
        .singleElement()
        .extracting(error -> error.getMessage(null))
        .isEqualTo(
            "RPC037 Refused has no visible constructor whose parameters are named like its"
                + " accessors. Add the accessors int getCode() or int code(), boolean isLast() or"
                + " boolean getLast() or boolean last(), or the constructor: public Refused(String"
                + " message) { super(message); } (compiled with -parameters).");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "class Shelf { @RpcMethod(id = 1) void put(String item) {} } | RPC008 @RpcMethod has no"
            + " effect at put.",
        "abstract class Shelf { @RpcMethod(id = 1) abstract void put(); } | RPC008 @RpcMethod",
        "@interface Shelf { @RpcMethod(id = 1) String name(); } | RPC008 @RpcMethod has no effect"
            + " at name.",
        "@RpcType(id = 1) record Shelf(int places) {} | RPC008 @RpcType has no effect at Shelf."
            + " Remove it, or put it on a subtype of a sealed type.",
        "@RpcType(id = 1) record Shelf(int places) implements Runnable { public void run() {} } |"
            + " RPC008 @RpcType",
        "@RpcType(id = 1) sealed interface Shelf permits Wall {} record Wall() implements Shelf {}"
            + " | RPC008 @RpcType has no effect at Shelf.",
        "@RpcUnknown record Shelf() {} | RPC008 @RpcUnknown has no effect at Shelf.",
        "sealed interface Shelf permits Wall {} record Wall() implements Shelf { @RpcUnknown static"
            + " final Wall ANY = new Wall(); } | RPC008 @RpcUnknown has no effect at ANY.",
        "record Shelf(@RpcUnknown int places) {} | RPC008 @RpcUnknown has no effect at places.",
        "enum Shelf { WALL; @RpcUnknown static final int PLACES = 2; } | RPC008 @RpcUnknown has no"
            + " effect at PLACES.",
        "interface Shelf { @RpcMethod(id = 1) default void put() {} } | RPC007 Shelf has methods"
            + " with @RpcMethod, but no @RpcService",
        "class Room { interface Shelf { @RpcMethod(id = 1) void put(); @RpcMethod(id = 2) void"
            + " get(); } } | RPC007 Shelf has methods",
      })
  void noAnnotationIsWithoutEffectInSilence(String declared, String message) {
    String text = "package bad; import io.verbena.api.*; " + declared;
    assertThat(Compiled.of(Map.of("Shelf.java", text)).errors())
        .singleElement()
        .satisfies(error -> assertThat(error.getMessage(null)).startsWith(message));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "interface Base { @RpcMethod(id = 1) void put(); } @RpcService(name = \"s\") interface"
            + " Shelf extends Base {}",
        "interface Base { @RpcMethod(id = 1) void put(); } interface Middle extends Base {}"
            + " @RpcService(name = \"s\") interface Shelf extends Middle {}",
        "interface Base<T> { @RpcMethod(id = 1) void put(T item); }",
        "sealed interface Shelf permits Wall, Other {} @RpcType(id = 1) record Wall() implements"
            + " Shelf {} @RpcType(id = 2) @RpcUnknown enum Other implements Shelf { NONE }",
        "sealed abstract class Shelf permits Wall {} @RpcType(id = 1) final class Wall extends"
            + " Shelf {}",
        "enum Shelf { WALL, @RpcUnknown OTHER }",
        "@RpcType(id = 1) record Shelf() implements Missing {}",
      })
  void annotationsThatHaveOrMayHaveAnEffectAreLeftAlone(String declared) {
    String text = "package bad; import io.verbena.api.*; " + declared;
    assertThat(Compiled.of(Map.of("Shelf.java", text)).errors())
        .noneMatch(error -> error.getMessage(null).startsWith("RPC"));
  }

  /** Returns what is said of a method that takes such a type. */
  private static String messageOn(String type, String more) {
    String text = contract(type, more);
    return Compiled.of(Map.of("Store.java", text)).errors().getFirst().getMessage(null);
  }

  private static String contract(String type, String more) {
    return """
    package bad;
    import io.verbena.api.*;
    @RpcService(name = "store.v1")
    interface Store {
      @RpcMethod(id = 1) void put(%s value);
    }
    %s
    """
        .formatted(type, more);
  }

  @Test
  void aRefusedTypeIsNamedAtItsFirstPlaceAlone() {
    String text =
        """
        package bad;
        import io.verbena.api.*;
        @RpcService(name = "store.v1")
        interface Store {
          @RpcMethod(id = 1) void put(Thread first);
          @RpcMethod(id = 2) Thread get(Thread second);
        }
        """;
    assertThat(Compiled.of(Map.of("Store.java", text)).errors())
        .singleElement()
        .satisfies(error -> assertThat(error.getLineNumber()).isEqualTo(5));
  }

  @Test
  void everyMistakeIsReportedAtOnce() {
    String text =
        """
        package bad;
        import io.verbena.api.*;
        @RpcService(name = "")
        interface Store {
          @RpcMethod(id = 1) void put(Thread thread, Item item) throws InterruptedException;
          @RpcMethod(id = 1, timeout = "x") void get(Object key);
          void forgotten();
          record Item(StringBuilder name, java.util.Date date, Item next) {}
        }
        """;
    assertThat(Compiled.of(Map.of("Store.java", text)).errors())
        .extracting(error -> error.getMessage(null).substring(0, 6))
        .containsExactlyInAnyOrder(
            "RPC002", "RPC020", "RPC020", "RPC020", "RPC011", "RPC016", "RPC020", "RPC010",
            "RPC018", "RPC060");
  }

  @Test
  void aTypeThatDoesNotExistIsJavacsToReport() {
    String text =
        """
        package bad;
        import io.verbena.api.*;
        @RpcService(name = "store.v1")
        interface Store {
          @RpcMethod(id = 1) void put(Missing missing);
        }
        """;
    assertThat(Compiled.of(Map.of("Store.java", text)).errors())
        .singleElement()
        .satisfies(e -> assertThat(e.getMessage(null)).contains("cannot find symbol"));
  }

  @Test
  void aNumberThatIsMissingIsJavacsToReport() {
    String text =
        """
        package bad;
        import io.verbena.api.*;
        @RpcService(name = "store.v1")
        interface Store {
          @RpcMethod void clear();
        }
        """;
    assertThat(Compiled.of(Map.of("Store.java", text)).errors())
        .singleElement()
        .satisfies(e -> assertThat(e.getMessage(null)).contains("'id'"));
  }
}
