package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcService;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.eclipse.jdt.internal.compiler.tool.EclipseCompiler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A contract whose types come from another module generates the same code whoever compiled either,
 * and wherever the module lies. Compilers tell the members of class files in different orders, and
 * the order crosses the wire.
 */
class OtherModuleTest {
  private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();
  private static final JavaCompiler ECLIPSE = new EclipseCompiler();

  /** The place in which the compiler of the contract finds the other module. */
  enum Place {
    SOURCES,
    FOLDER,
    JAR,
    FOLDER_OF_MODULE,
    JAR_OF_MODULE
  }

  private static final String LIBRARY_MODULE =
      """
      module library {
        requires transitive io.verbena.api;
        requires static transitive org.jspecify;
        exports library;
      }
      """;
  private static final String SHOP_MODULE =
      "module shop { requires java.compiler; requires transitive library; exports shop; }";

  /** No member is declared in the order of the names. */
  private static final Map<String, String> LIBRARY =
      Map.of(
          "library/Colour.java",
          """
          package library;
          import io.verbena.api.RpcUnknown;
          public enum Colour {
            RED, AMBER { @Override public int rank() { return 2; } }, GREEN, @RpcUnknown BROKEN;
            public static final Colour BEST = GREEN;
            public int rank() { return 1; }
          }
          """,
          "library/Base.java",
          """
          package library;
          public abstract class Base<T> {
            protected static int made;
            private T owner;
            private java.util.List<T> heirs;
            private transient int cache;
            public T getOwner() { return owner; }
            public void setOwner(T owner) { this.owner = owner; }
            public java.util.List<T> heirs() { return heirs; }
            public java.util.List<T> getHeirs() { return heirs; }
            public void heirs(java.util.List<T> heirs) { this.heirs = heirs; }
            public void setHeirs(java.util.List<T> heirs) { this.heirs = heirs; }
          }
          """,
          "library/Bean.java",
          """
          package library;
          import org.jspecify.annotations.Nullable;
          public class Bean extends Base<String> {
            private int zeta;
            private @Nullable String alpha;
            private java.util.Map<String, @Nullable Colour> colours;
            private boolean ready;
            public int zeta() { return zeta; }
            public int getZeta() { return zeta; }
            public void zeta(int zeta) { this.zeta = zeta; }
            public void setZeta(int zeta) { this.zeta = zeta; }
            public @Nullable String getAlpha() { return alpha; }
            public void setAlpha(@Nullable String alpha) { this.alpha = alpha; }
            public java.util.Map<String, @Nullable Colour> getColours() { return colours; }
            public void setColours(java.util.Map<String, @Nullable Colour> c) { colours = c; }
            public boolean ready() { return ready; }
            public boolean isReady() { return ready; }
            public boolean getReady() { return ready; }
            public void setReady(boolean ready) { this.ready = ready; }
          }
          """,
          "library/Item.java",
          """
          package library;
          import java.util.*;
          import org.jspecify.annotations.Nullable;
          public record Item<T>(
              T zip, @Nullable String city, List<@Nullable T> names, byte @Nullable [] image, Tag tag) {
            public enum Tag { WORN, NEW, DAMAGED }
          }
          """,
          "library/Shape.java",
          """
          package library;
          import io.verbena.api.*;
          public sealed interface Shape {
            @RpcType(id = 2) record Square(double side, double area) implements Shape {}
            @RpcType(id = 1) record Round(double radius, double border) implements Shape {}
            @RpcUnknown @RpcType(id = 3) record Any() implements Shape {}
          }
          """,
          "library/Gone.java",
          """
          package library;
          public class Gone extends Exception {
            private static final long serialVersionUID = 1;
            private final String since;
            private final long id;
            public Gone(String message, long id) { super(message); this.since = ""; this.id = id; }
            public Gone(@org.jspecify.annotations.Nullable String since, long id, Throwable why) {
              super(since, why); this.since = since; this.id = id;
            }
            public Gone(long id, String since) { this.since = since; this.id = id; }
            public String since() { return since; }
            public String getSince() { return since; }
            public long id() { return id; }
          }
          """,
          "library/Named.java",
          """
          package library;
          import io.verbena.api.*;
          public interface Named<K> {
            @RpcMethod(id = 8) K rename(String to, K from);
            @RpcMethod(id = 7) String name(K of, boolean whole);
          }
          """);

  private static final Map<String, String> SHOP =
      Map.of(
          "shop/Store.java",
          """
          package shop;
          import io.verbena.api.*;
          import java.util.*;
          import library.*;
          import org.jspecify.annotations.Nullable;
          @RpcService(name = "store.v1")
          public interface Store extends Named<Integer> {
            @RpcMethod(id = 1) Bean bean(Colour colour, @Nullable Item<Long> item) throws Gone;
            @RpcMethod(id = 2) List<Shape> shapes(Map<Colour, @Nullable Shape> shapes);
          }
          """);

  @TempDir Path directory;
  private Map<String, String> expected = Map.of();

  private String api = "";

  /** Eclipse's compiler does not find the module in JSpecify's jar, which has several releases. */
  private void unpack() throws IOException {
    Path annotations = directory.resolve("jspecify");
    try (FileSystem jar = FileSystems.newFileSystem(jarOf(Nullable.class))) {
      for (String name : List.of("Nullable", "NonNull", "NullMarked", "NullUnmarked")) {
        String file = "org/jspecify/annotations/" + name + ".class";
        Files.createDirectories(annotations.resolve(file).resolveSibling(""));
        Files.copy(jar.getPath(file), annotations.resolve(file));
      }
      Files.copy(
          jar.getPath("META-INF/versions/9/module-info.class"),
          annotations.resolve("module-info.class"));
    }
    api = jarOf(RpcService.class) + File.pathSeparator + annotations;
  }

  @BeforeEach
  void fromSourcesAlone() throws IOException {
    unpack();
    expected = ofContract(JAVAC, JAVAC, Place.SOURCES);
    assertThat(expected).hasSize(1);
  }

  static Stream<Arguments> ways() {
    return Stream.of(JAVAC, ECLIPSE)
        .flatMap(
            contracts ->
                Stream.of(JAVAC, ECLIPSE)
                    .flatMap(
                        librarys ->
                            Stream.of(Place.values())
                                .map(place -> way(contracts, librarys, place))));
  }

  private static Arguments way(JavaCompiler contracts, JavaCompiler librarys, Place place) {
    return Arguments.of(
        "%s, library %s by %s".formatted(nameOf(contracts), place, nameOf(librarys)),
        contracts,
        librarys,
        place);
  }

  private static String nameOf(JavaCompiler compiler) {
    return compiler == JAVAC ? "javac" : "Eclipse";
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ways")
  void generatesTheSameCode(
      String way, JavaCompiler ofContract, JavaCompiler ofLibrary, Place place) throws IOException {
    assertThat(ofContract(ofContract, ofLibrary, place)).isEqualTo(expected);
  }

  private Map<String, String> ofContract(JavaCompiler contracts, JavaCompiler librarys, Place place)
      throws IOException {
    Path base = Files.createTempDirectory(directory, "way");
    boolean isModule = place == Place.FOLDER_OF_MODULE || place == Place.JAR_OF_MODULE;
    List<Path> library = written(base, LIBRARY);
    List<Path> shop = written(base, SHOP);
    String option = "-cp";
    if (isModule) {
      library.addAll(written(base, Map.of("library/module-info.java", LIBRARY_MODULE)));
      shop.addAll(written(base, Map.of("shop/module-info.java", SHOP_MODULE)));
      option = "--module-path";
    }
    if (place == Place.SOURCES) {
      shop.addAll(library);
      return generated(contracts, shop, base.resolve("all"), option, api, true);
    }
    Path folder = base.resolve("library-classes");
    generated(librarys, library, folder, option, api, false);
    boolean isJar = place == Place.JAR || place == Place.JAR_OF_MODULE;
    Path where = isJar ? jar(folder, base.resolve("library.jar")) : folder;
    String path = where + File.pathSeparator + api;
    return generated(contracts, shop, base.resolve("classes"), option, path, true);
  }

  private static Map<String, String> generated(
      JavaCompiler compiler,
      List<Path> sources,
      Path out,
      String option,
      String path,
      boolean processes)
      throws IOException {
    Files.createDirectories(out);
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    List<String> options =
        new ArrayList<>(List.of("-d", out.toString(), option, path, "-parameters", "-nowarn"));
    if (compiler == ECLIPSE) {
      options.addAll(List.of("-25", "-s", out.toString()));
      if (processes && option.equals("--module-path")) {
        options.add("-proc:only"); // in a module it compiles no processor's code
      }
    }
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(diagnostics, Locale.ROOT, StandardCharsets.UTF_8)) {
      files.setLocation(StandardLocation.CLASS_PATH, List.of()); // else this test's own
      JavaCompiler.CompilationTask task =
          compiler.getTask(
              Writer.nullWriter(),
              files,
              diagnostics,
              options,
              null,
              files.getJavaFileObjectsFromPaths(sources));
      task.setProcessors(processes ? List.of(new VerbenaProcessor()) : List.of());
      task.call();
    }
    assertThat(diagnostics.getDiagnostics())
        .filteredOn(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
        .extracting(diagnostic -> diagnostic.getMessage(Locale.ROOT))
        .isEmpty();
    return processes ? Compiled.generated(out) : Map.of();
  }

  private static List<Path> written(Path base, Map<String, String> sources) throws IOException {
    List<Path> written = new ArrayList<>();
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = base.resolve(source.getKey());
      Files.createDirectories(file.resolveSibling(""));
      written.add(Files.writeString(file, source.getValue()));
    }
    return written;
  }

  private static Path jar(Path folder, Path jar) throws IOException {
    List<Path> files;
    try (Stream<Path> tree = Files.walk(folder)) {
      files = tree.filter(Files::isRegularFile).toList();
    }
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (Path file : files) {
        zip.putNextEntry(new ZipEntry(folder.relativize(file).toString()));
        Files.copy(file, zip);
      }
    }
    return jar;
  }

  private static Path jarOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
