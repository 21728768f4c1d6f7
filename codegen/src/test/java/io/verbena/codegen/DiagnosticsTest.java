package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each message has a source under {@code bad/} that earns it, on the line that says {@code HERE},
 * and earns nothing else.
 */
class DiagnosticsTest {
  private static final Path BAD = Path.of("src/test/resources/bad");

  @ParameterizedTest
  @EnumSource(Message.class)
  void eachMessageStandsOnTheExactLineAndAlone(Message message) throws IOException {
    Path source = sourceOf(message.code());
    String text = Files.readString(source);
    int here = 1 + (int) text.lines().takeWhile(line -> !line.contains("// HERE")).count();

    List<Diagnostic<? extends JavaFileObject>> errors =
        Compiled.of(Map.of(source.getFileName().toString(), text), options(source)).errors();

    assertThat(errors)
        .singleElement()
        .satisfies(
            error -> {
              assertThat(error.getMessage(null))
                  .startsWith(message.code() + " ")
                  .doesNotContain("%");
              assertThat(error.getLineNumber()).isEqualTo(here);
              assertThat(error.getKind()).isEqualTo(Diagnostic.Kind.ERROR);
            });
  }

  private static Path sourceOf(String code) throws IOException {
    assertThat(BAD.resolve(code)).as("every code has a source that earns it").isDirectory();
    try (Stream<Path> files = Files.list(BAD.resolve(code))) {
      return files.filter(file -> file.toString().endsWith(".java")).findFirst().orElseThrow();
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
    List<String> codes = Arrays.stream(Message.values()).map(Message::code).toList();
    assertThat(codes).doesNotHaveDuplicates();
    try (Stream<Path> directories = Files.list(BAD)) {
      assertThat(directories.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(codes);
    }
  }

  @Test
  void theReferenceListsEveryMessage() throws IOException {
    String reference = Files.readString(Path.of("../docs/reference/diagnostics.md"));
    for (Message message : Message.values()) {
      assertThat(reference).contains("| " + message.code() + " | " + row(message) + " |");
    }
    assertThat(reference.lines().filter(line -> line.startsWith("| RPC")))
        .hasSize(Message.values().length);
  }

  private static String row(Message message) {
    return message.text().replaceAll("%[sd]", "…");
  }

  @Test
  void namesTheOtherMethodAndTheNextFreeId() throws IOException {
    String text = Files.readString(sourceOf("RPC011"));
    assertThat(Compiled.of(Map.of("Store.java", text)).errors().getFirst().getMessage(null))
        .isEqualTo("RPC011 id 2 is already used by get. Next free id: 4.");
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
}
