package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import org.eclipse.jdt.internal.compiler.tool.EclipseCompiler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The processor under Eclipse's compiler, whose elements and types are not those of javac. */
class EclipseCompilerTest {
  @TempDir Path directory;

  private Map<String, String> byEclipse(Map<String, String> sources) throws IOException {
    Path out = Files.createTempDirectory("verbena-eclipse");
    List<Path> written = new ArrayList<>();
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = directory.resolve(source.getKey());
      Files.createDirectories(file.resolveSibling(""));
      written.add(Files.writeString(file, source.getValue()));
    }
    JavaCompiler eclipse = new EclipseCompiler();
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    List<String> options =
        List.of(
            "-d",
            out.toString(),
            "-s",
            out.toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "-25",
            "-nowarn");
    try (StandardJavaFileManager files =
        eclipse.getStandardFileManager(diagnostics, Locale.ROOT, StandardCharsets.UTF_8)) {
      JavaCompiler.CompilationTask task =
          eclipse.getTask(
              Writer.nullWriter(),
              files,
              diagnostics,
              options,
              null,
              files.getJavaFileObjectsFromPaths(written));
      task.setProcessors(List.of(new VerbenaProcessor()));
      task.call();
    }
    Map<String, String> generated = Compiled.generated(out);
    assertThat(diagnostics.getDiagnostics())
        .filteredOn(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
        .extracting(diagnostic -> diagnostic.getMessage(Locale.ROOT))
        .isEmpty();
    return generated;
  }

  private void isTheSame(Map<String, String> sources) throws IOException {
    Compiled javac = Compiled.of(sources);
    assertThat(javac.errors()).isEmpty();
    assertThat(byEclipse(sources)).isEqualTo(javac.generated());
  }

  @Tag("long")
  @Test
  void contractsOfEveryKindGenerateTheSameCode() throws IOException {
    isTheSame(StrictBuildTest.sources());
  }

  @Test
  void soDoMembersThatAreInheritedFromGenericTypes() throws IOException {
    Map<String, String> sources = new HashMap<>();
    sources.put(
        "shop/Crud.java",
        """
        package shop;
        import io.verbena.api.*;
        interface Crud<K, V> extends Counted {
          @RpcMethod(id = 1) V find(K key, java.util.List<K> others);
          @RpcMethod(id = 2) void put(K key, V value);
          @RpcMethod(id = 3) void move(K from, K to);
          static <T> T same(T value) { return value; }
          default int size() { return 0; }
        }
        """);
    sources.put(
        "shop/Counted.java",
        """
        package shop;
        import io.verbena.api.*;
        interface Counted {
          @RpcMethod(id = 4) long count(String name, boolean exact);
        }
        """);
    sources.put(
        "shop/Store.java",
        """
        package shop;
        import io.verbena.api.*;
        @RpcService(name = "store.v1")
        interface Store extends Counted, Crud<String, Bean> {
          @Override @RpcMethod(id = 3) void move(String source, String target);
        }
        """);
    sources.put(
        "shop/Base.java",
        """
        package shop;
        public abstract class Base<T> {
          private T id;
          private java.util.List<T> more;
          public T getId() { return id; }
          public void setId(T id) { this.id = id; }
          public java.util.List<T> getMore() { return more; }
          public void setMore(java.util.List<T> more) { this.more = more; }
        }
        """);
    sources.put(
        "shop/Bean.java",
        """
        package shop;
        public final class Bean extends Base<String> {
          private int count;
          @Override public String getId() { return super.getId(); }
          @Override public void setId(String id) { super.setId(id); }
          public int count() { return count; }
          public void count(int count) { this.count = count; }
        }
        """);
    isTheSame(sources);
  }
}
